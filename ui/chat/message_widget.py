"""What questions and answers on the page have in common."""

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyle, QWidget

from ui.chat.look import Look
from ui.chat.rows import Row
from ui.labels import text_label

_DIVIDER_PX = 40


class MessageWidget(QWidget):
    """One message; it lays itself out for a width, so that the view knows its height at once.

    Signals:
        link_activated: Somebody wants to follow a link; its target.
        regenerate_requested: Somebody wants another answer.
        height_changed: It needs another height, for another reason than a new `Row`.
    """

    link_activated = Signal(str)
    regenerate_requested = Signal()
    height_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self._divider: QLabel | None = None
        look.changed.connect(self._on_look_changed)

    def show_row(self, row: Row) -> None:
        """Show a message; called again with every change of it."""
        if row.is_first_seen and self._divider is None:
            self._divider = text_label(self.tr("The model no longer sees what is above"), "muted")
            self._divider.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._divider.setParent(self)
            self._divider.show()
        elif not row.is_first_seen and self._divider is not None:
            self._divider.hide()
            self._divider.deleteLater()
            self._divider = None

    def lay_out(self, width_px: int) -> int:
        """Put everything in its place for a width; return the height."""
        top_px = 0
        if self._divider is not None:
            hint_px = self._divider.sizeHint().width() + 2 * _DIVIDER_PX
            shown_px = min(width_px, hint_px)
            self._divider.setGeometry((width_px - shown_px) // 2, 0, shown_px, _DIVIDER_PX)
            top_px = _DIVIDER_PX
        return self.lay_out_content(top_px, width_px)

    @property
    def is_complete(self) -> bool:
        """Whether its height is final; a long text is laid out step by step."""
        return True

    def lay_out_content(self, top_px: int, width_px: int) -> int:
        """Put the message below `top_px`; return where it ends."""
        raise NotImplementedError

    def has_selection(self) -> bool:
        """Whether some of its text is selected."""
        raise NotImplementedError

    def dress(self) -> None:
        """Take the colours and fonts that are in force now."""
        raise NotImplementedError

    def focus_chain(self) -> list[QWidget]:
        """Return what the Tab key reaches, from the top down."""
        children = [
            child
            for child in self.findChildren(QWidget)
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isVisibleTo(self)
        ]
        return sorted(children, key=self._reading_order)

    def _reading_order(self, child: QWidget) -> tuple[int, int]:
        place = child.mapTo(self, QPoint(0, 0))
        return place.y(), place.x()

    def place(
        self, child: QWidget, left_px: int, top_px: int, width_px: int, height_px: int
    ) -> None:
        """Put a child where it belongs; counted from the right where the language reads so."""
        rect = QRect(left_px, top_px, width_px, height_px)
        child.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), rect))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line beside the words of the divider."""
        if self._divider is None:
            return
        painter = QPainter(self)
        painter.setPen(self.look.theme.color("border"))
        words = self._divider.geometry().adjusted(_DIVIDER_PX // 2, 0, -_DIVIDER_PX // 2, 0)
        y = words.center().y()
        painter.drawLine(0, y, words.left(), y)
        painter.drawLine(words.right(), y, self.width(), y)

    def _on_look_changed(self) -> None:
        self.dress()
        self.height_changed.emit()
