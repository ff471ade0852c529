"""A piece of an answer or a question that reads as text."""

from collections.abc import Iterator
from math import ceil

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from ui.chat.look import Look

_CARET_WIDTH_PX = 7
_CARET_GAP_PX = 3
_INDENT_PX = 26


class ProseSegment(QTextBrowser):
    """Rich or plain text as high as its content; loads nothing and follows no link by itself.

    Signals:
        link_activated: Somebody clicked a link, or pressed Enter on it; its target.
    """

    link_activated = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.html = ""
        self._caret: QColor | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.anchorClicked.connect(lambda url: self.link_activated.emit(url.toString()))
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(look.body_font)
        self.document().setIndentWidth(_INDENT_PX)

    def show_html(self, html: str) -> None:
        """Show the HTML of a segment; a selection stays where it is."""
        self.html = html
        selected = self.textCursor()
        self.document().setDefaultStyleSheet(self._look.document_rules)
        self.setHtml(html)
        if selected.hasSelection():
            self._select(selected.anchor(), selected.position())

    def show_plain(self, text: str) -> None:
        """Show text as it is."""
        self.setPlainText(text)

    def grow_plain(self, text: str) -> None:
        """Show text as it is; where it only grew, what is there already is left alone."""
        shown = self.toPlainText()
        if not text.startswith(shown):
            self.setPlainText(text)
            return
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        end.insertText(text[len(shown) :])

    def show_caret(self, color: QColor | None) -> None:
        """Show after the last letter that more is coming; None takes it away."""
        if color != self._caret:
            self._caret = color
            self.viewport().update()

    def dress(self) -> None:
        """Take the colours and fonts that are in force now."""
        self.document().setDefaultFont(self._look.body_font)
        if self.html:
            self.show_html(self.html)

    def has_selection(self) -> bool:
        """Whether some of the text is selected."""
        return self.textCursor().hasSelection()

    def lay_out(self, width_px: int) -> int:
        """Break the lines for a width; return the height."""
        if self.lineWrapColumnOrWidth() != width_px:
            self.setLineWrapColumnOrWidth(width_px)
        return ceil(self.document().size().height())

    def blocks(self) -> Iterator[tuple[str, int]]:
        """Return the text of each paragraph and where it begins, in pixels from the top."""
        layout = self.document().documentLayout()
        block = self.document().firstBlock()
        while block.isValid():
            yield block.text(), round(layout.blockBoundingRect(block).top())
            block = block.next()

    def natural_width(self, most_px: int) -> int:
        """Return the width that the text needs, at most `most_px`."""
        self.lay_out(most_px)
        return min(most_px, ceil(self.document().idealWidth()))

    def _select(self, anchor: int, position: int) -> None:
        last = self.document().characterCount() - 1
        cursor = self.textCursor()
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return an empty picture: anything else would let Qt open the file that is named."""
        picture = QImage(1, 1, QImage.Format.Format_ARGB32)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and the mark that more is coming."""
        super().paintEvent(event)
        if self._caret is None:
            return
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        place = self.cursorRect(end)
        height_px = self.fontMetrics().ascent()
        corner = QPoint(place.left() + _CARET_GAP_PX, place.bottom() - height_px)
        painter = QPainter(self.viewport())
        painter.fillRect(corner.x(), corner.y(), _CARET_WIDTH_PX, height_px, self._caret)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to the view around it."""
        event.ignore()
