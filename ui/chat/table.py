"""A piece of an answer that is a table."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

from ui.chat.prose import ProseSegment

_SCROLLBAR_PX = 12
_LEAST_COLUMN_PX = 72


class TableSegment(ProseSegment):
    """A table as wide as the column; one with too many columns for that scrolls sideways."""

    def lay_out(self, width_px: int) -> int:
        """Break the lines for a width; return the height, scroll bar included."""
        is_narrow = self._least_width() > width_px
        policy = Qt.ScrollBarPolicy
        self.setHorizontalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if is_narrow else policy.ScrollBarAlwaysOff
        )
        height_px = super().lay_out(max(width_px, self._least_width()))
        return height_px + (_SCROLLBAR_PX if is_narrow else 0)

    def _least_width(self) -> int:
        columns = self.html.count("<th ")
        return columns * _LEAST_COLUMN_PX

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways only; up and down is for the view around it."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            self.horizontalScrollBar().event(event)
        else:
            event.ignore()
