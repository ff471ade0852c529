"""A box to choose from, with an arrow in the theme's color."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

from ui.theme import Theme

_ARROW_PX = 16


class ChoiceBox(QComboBox):
    """The style sheet leaves the arrow out, for it cannot color one; here it is painted."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Make it; `name` is what a screen reader says."""
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box and the arrow."""
        super().paintEvent(event)
        if self._theme.is_high_contrast:
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxArrow
        place = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        size = QSize(_ARROW_PX, _ARROW_PX)
        rect = QStyle.alignedRect(self.layoutDirection(), Qt.AlignmentFlag.AlignCenter, size, place)
        self._theme.icon("down", "muted", _ARROW_PX).paint(QPainter(self), rect)
