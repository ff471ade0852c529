"""A piece of an answer that is code."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QToolButton, QWidget

from ui.buttons import IconButton
from ui.chat.code_colors import CodeHighlighter
from ui.chat.look import Look
from ui.labels import text_label
from ui.markdown.values import Segment

_HEADER_PX = 36
_PADDING_PX = 10
_BORDER_PX = 1
_SIDE_PX = 12
_SCROLLBAR_PX = 12
_COPIED_MS = 2_000
_TAB_CHARS = 4


class CodeText(QPlainTextEdit):
    """Code as high as its lines; long lines scroll sideways."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)
        self.dress()

    def show_code(self, code: str) -> None:
        """Show code; what only grows at its end is not laid out again."""
        shown = self.toPlainText()
        if code.startswith(shown) and shown:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(code[len(shown) :])
        else:
            self.setPlainText(code)

    def dress(self) -> None:
        """Take the font that is in force now."""
        font = self._look.code_font
        self.setFont(font)
        self.setTabStopDistance(QFontMetrics(font).horizontalAdvance(" ") * _TAB_CHARS)

    def height_for(self, width_px: int) -> int:
        """Return the height of all lines, and of the scroll bar where one line is too long."""
        first = self.document().firstBlock()
        line_px = self.blockBoundingGeometry(first).height()
        height_px = round(line_px * self.blockCount()) + 1
        return height_px + (_SCROLLBAR_PX if self._longest_line_px() > width_px else 0)

    def _longest_line_px(self) -> int:
        longest = max(self.toPlainText().split("\n"), key=len).expandtabs(_TAB_CHARS)
        return self.fontMetrics().horizontalAdvance(longest)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways only; up and down is for the view around it."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()


class CodeSegment(QFrame):
    """Code under a line with its language and a button that copies it.

    Signals:
        copied: The code is on the clipboard.
    """

    copied = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._segment = Segment("code", "")
        self.setObjectName("code")
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._header = QFrame(self)
        self._header.setObjectName("code_header")
        self._language = text_label("", "muted")
        self._copy = IconButton(look.theme, "copy", self.tr("Copy code"), size_px=15)
        self._copy.setText(self.tr("Copy"))
        self._copy.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._copy.clicked.connect(self._copy_code)
        row = QHBoxLayout(self._header)
        row.setContentsMargins(_SIDE_PX, 0, 6, 0)
        row.addWidget(self._language, 1)
        row.addWidget(self._copy)
        self._code = CodeText(look, self)
        self._highlighter: CodeHighlighter | None = None
        self._copied_timer = QTimer(self)
        self._copied_timer.setSingleShot(True)
        self._copied_timer.timeout.connect(self._offer_copy)

    @property
    def copy_button(self) -> QToolButton:
        """The button that copies the code."""
        return self._copy

    @property
    def text(self) -> str:
        """The code shown."""
        return self._code.toPlainText()

    def show_segment(self, segment: Segment) -> None:
        """Show code; it is coloured once it is complete."""
        self._segment = segment
        name = segment.language or self.tr("code")
        self._language.setText(name)
        self._code.setAccessibleName(self.tr("Code block, {}").format(name))
        self._code.show_code(segment.text)
        if segment.is_closed and segment.language:
            self._color()

    def dress(self) -> None:
        """Take the colours and fonts that are in force now."""
        self._code.dress()
        if self._highlighter is not None:
            self._highlighter.rehighlight()

    def has_selection(self) -> bool:
        """Whether some of the code is selected."""
        return self._code.textCursor().hasSelection()

    def lay_out(self, width_px: int) -> int:
        """Put the parts in their places for a width; return the height."""
        inner_px = width_px - 2 * (_BORDER_PX + _SIDE_PX)
        code_px = self._code.height_for(inner_px)
        self._header.setGeometry(_BORDER_PX, _BORDER_PX, width_px - 2 * _BORDER_PX, _HEADER_PX)
        top_px = _BORDER_PX + _HEADER_PX + _PADDING_PX
        self._code.setGeometry(_BORDER_PX + _SIDE_PX, top_px, inner_px, code_px)
        return top_px + code_px + _PADDING_PX + _BORDER_PX

    def _color(self) -> None:
        if self._highlighter is None:
            self._highlighter = CodeHighlighter(self._code.document(), self._look.theme)
            segment = self._segment
            self._look.coloring.color(self._highlighter, segment.text, segment.language)

    def _copy_code(self) -> None:
        QGuiApplication.clipboard().setText(self._segment.text)
        self._copy.setText(self.tr("Copied"))
        self._copy.set_icon("check")
        self._copied_timer.start(_COPIED_MS)
        self.copied.emit()

    def _offer_copy(self) -> None:
        self._copy.setText(self.tr("Copy"))
        self._copy.set_icon("copy")
