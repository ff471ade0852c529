"""A document as text, one unit at a time: where it has no look of its own, or its file is gone."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QStackedWidget, QTextEdit, QVBoxLayout, QWidget

from app.documents.document import Line, Page
from ui.documents import marking
from ui.documents.sheet_view import SheetView
from ui.markdown.cleaning import clean
from ui.theme import Theme

_PADDING_PX = 16
_LINE_GAP_PX = 4


class _Sheet(QTextEdit):
    """Text to read; going past an end turns to the next unit.

    Signals:
        turned: (by: int): show the next unit (1) or the one before (-1).
    """

    turned = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        is_down = event.key() in (Qt.Key.Key_PageDown, Qt.Key.Key_Space)
        if is_down and bar.value() == bar.maximum():
            self.turned.emit(1)
        elif event.key() == Qt.Key.Key_PageUp and bar.value() == bar.minimum():
            self.turned.emit(-1)
        elif event.key() == Qt.Key.Key_Space:
            bar.triggerAction(bar.SliderAction.SliderPageStepAdd)
        else:
            super().keyPressEvent(event)


class TextView(QStackedWidget):
    """Shows the text of pages; GUI thread only.

    Signals:
        page_changed: Another unit is shown; its number.
        marks_found: (number, count): how many marked places a unit has.
    """

    page_changed = Signal(int)
    marks_found = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pages: Sequence[Page] = ()
        self._page = 0
        self._is_sheets = False
        self._marks: tuple[str, ...] = ()
        self._text = _Sheet()
        self._text.setReadOnly(True)
        self._text.setObjectName("paper_text")
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.document().setDocumentMargin(_PADDING_PX)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setAccessibleName(self.tr("Text of the document"))
        self._text.turned.connect(lambda by: self.go_to(self._page + by))
        self.sheet = SheetView(theme)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.sheet)
        self.addWidget(self._text)
        self.addWidget(holder)
        self.setFocusProxy(self._text)
        theme.changed.connect(self._redraw)

    @property
    def page(self) -> int:
        """The unit that is shown."""
        return self._page

    @property
    def text(self) -> str:
        """What is laid out."""
        return self._text.toPlainText()

    @property
    def marked(self) -> tuple[str, ...]:
        """What is marked in the text."""
        chosen = self._text.extraSelections()
        return tuple(each.cursor.selectedText() for each in chosen)

    def show_pages(self, pages: Sequence[Page], *, is_sheets: bool) -> None:
        """Show another document, from its first unit."""
        self._pages = pages
        self._is_sheets = is_sheets
        self._page = 0
        self._marks = ()
        self.go_to(1)

    def go_to(self, number: int) -> None:
        """Show a unit from its beginning; what was marked is so no more."""
        if not self._pages:
            self._text.clear()
            return
        number = min(max(1, number), len(self._pages))
        has_changed = number != self._page
        self._page = number
        page = self._pages[number - 1]
        is_grid = (page.unit == "sheet") if page.unit else self._is_sheets
        if is_grid:
            self.sheet.show_page(page)
            self.setFocusProxy(self.sheet)
        else:
            self._fill(page)
            self.setFocusProxy(self._text)
        self.setCurrentIndex(1 if is_grid else 0)
        if has_changed:
            self.page_changed.emit(number)

    def mark(self, number: int, marks: tuple[str, ...], cells: str = "", nth: int = 0) -> None:
        """Mark sentences of a unit, or cells of a sheet, and show the `nth` marked place."""
        self.go_to(number)
        self._marks = marks
        if self.currentIndex() == 1:
            found = self.sheet.mark(marks, cells, nth)
        else:
            found = self._mark_text(nth)
        if marks or cells:
            self.marks_found.emit(self._page, found)

    def unmark(self) -> None:
        """Take all marks away."""
        self._marks = ()
        self._text.setExtraSelections([])
        self.sheet.mark((), "")

    def _fill(self, page: Page) -> None:
        self._text.clear()
        self._text.setCurrentFont(self._theme.font())
        cursor = self._text.textCursor()
        body = max((line.height for line in page.lines if not line.bold), default=0.0)
        for at, line in enumerate(_joined(page.lines)):
            if at:
                cursor.insertBlock()
            cursor.setBlockFormat(_block_format())
            cursor.insertText(clean(line.text), self._format(line, body))
        self._text.setExtraSelections([])
        self._text.moveCursor(QTextCursor.MoveOperation.Start)
        self._text.ensureCursorVisible()

    def _format(self, line: Line, body_height: float) -> QTextCharFormat:
        shape = QTextCharFormat()
        is_heading = line.bold and line.height >= body_height
        shape.setFont(self._theme.font("title" if is_heading else "body"))
        if line.bold:
            shape.setFontWeight(QFont.Weight.DemiBold)
        shape.setForeground(self._theme.color("text"))
        return shape

    def _mark_text(self, nth: int) -> int:
        text = self._text.toPlainText()
        found = marking.spans(text, [clean(mark) for mark in self._marks])
        chosen: list[QTextEdit.ExtraSelection] = []
        for start, end in found:
            selection = QTextEdit.ExtraSelection()
            shape = QTextCharFormat()
            shape.setBackground(self._theme.color("mark"))
            shape.setForeground(QColor(Qt.GlobalColor.black))
            cursor = QTextCursor(self._text.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selection.format = shape
            selection.cursor = cursor
            chosen.append(selection)
        self._text.setExtraSelections(chosen)
        if found:
            at = QTextCursor(self._text.document())
            at.setPosition(found[min(nth, len(found) - 1)][0])
            self._text.setTextCursor(at)
            self._center(at)
        return len(found)

    def _center(self, cursor: QTextCursor) -> None:
        place = self._text.cursorRect(cursor)
        bar = self._text.verticalScrollBar()
        bar.setValue(bar.value() + place.top() - self._text.viewport().height() // 3)

    def _redraw(self) -> None:
        if self._pages and self.currentIndex() == 0:
            marks = self._marks
            self._fill(self._pages[self._page - 1])
            self._marks = marks
            self._mark_text(0)


def _block_format() -> QTextBlockFormat:
    shape = QTextBlockFormat()
    shape.setBottomMargin(_LINE_GAP_PX)
    return shape


def _joined(lines: Sequence[Line]) -> list[Line]:
    """Put words together that were divided at the end of a line."""
    joined: list[Line] = []
    for line in lines:
        if joined and joined[-1].text.endswith("\ufffe"):
            before = joined[-1]
            text = before.text[:-1] + line.text
            joined[-1] = Line(text, before.height, before.bold, before.lead_chars)
        else:
            joined.append(line)
    return [Line(one.text.replace("\ufffe", "-"), one.height, one.bold) for one in joined]
