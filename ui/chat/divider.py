"""The line in the chat above which the model sees nothing, or only a summary."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.chat.aside import Aside
from ui.chat.look import Look
from ui.labels import text_label

_HEIGHT_PX = 40
_LINE_GAP_PX = 20
_BOTTOM_PX = 14
_OPEN_PX = 10


class Divider(QWidget):
    """A sentence in a line; where there is a summary, it can be read below.

    Signals:
        toggled: Fold or unfold the summary.
        height_changed: More of a long summary has been laid out.
    """

    toggled = Signal()
    height_changed = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._words = text_label(self.tr("The model no longer sees what is above"), "muted")
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setParent(self)
        self._summary = Aside(look, self.tr("Summary of what is above"), self)
        self._summary.toggled.connect(self.toggled)
        self._summary.height_changed.connect(self.height_changed)

    @property
    def text(self) -> str:
        """What is said, and the summary where it is unfolded."""
        head = self._words if self._summary.isHidden() else self._summary.head
        return f"{head.text()}\n{self._summary.text}".strip()

    @property
    def is_complete(self) -> bool:
        """Whether its height is final."""
        return self._summary.is_complete

    def show_summary(self, summary: str, *, is_open: bool) -> None:
        """Say what the model sees of what is above."""
        self._words.setVisible(not summary)
        self._summary.setVisible(bool(summary))
        title = self.tr("The model sees a summary of what is above")
        self._summary.show_text(title, summary, is_open=is_open)

    def lay_out(self, width_px: int) -> int:
        """Put everything in its place for a width; return the height."""
        if self._summary.isHidden():
            hint_px = min(width_px, self._words.sizeHint().width())
            self._words.setGeometry((width_px - hint_px) // 2, 0, hint_px, _HEIGHT_PX)
            return _HEIGHT_PX
        height_px = self._summary.lay_out(width_px)
        self._summary.setGeometry(0, _BOTTOM_PX // 2, width_px, height_px)
        return height_px + _BOTTOM_PX + (_OPEN_PX if self._summary.text else 0)

    def dress(self) -> None:
        """Take the fonts that are in force now."""
        self._summary.dress()

    def has_selection(self) -> bool:
        """Whether some of the summary is selected."""
        return self._summary.has_selection()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line beside the words."""
        painter = QPainter(self)
        painter.setPen(self._look.theme.color("border"))
        words, y = self._words_rect(), self._words_rect().center().y()
        if words.left() > _LINE_GAP_PX:
            painter.drawLine(0, y, words.left() - _LINE_GAP_PX, y)
        if words.right() + _LINE_GAP_PX < self.width():
            painter.drawLine(words.right() + _LINE_GAP_PX, y, self.width(), y)

    def _words_rect(self) -> QRect:
        if self._summary.isHidden():
            return self._words.geometry()
        return self._summary.head.geometry().translated(self._summary.pos())
