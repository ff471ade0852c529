"""Buttons that wear an icon and change it with the theme, and one whose text gives way."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from ui.theme import Theme

_LEAST_CHARACTERS = 4


class IconButton(QToolButton):
    """A button that is only an icon; `name` is what a screen reader and the tooltip say."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        name: str,
        *,
        color: str = "muted",
        size_px: int = 18,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._color = color
        self._size_px = size_px
        self.setIconSize(QSize(size_px, size_px))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_name(name)
        self._tint()
        theme.changed.connect(self._tint)

    def set_name(self, name: str) -> None:
        """Say something else of the same button."""
        self.setAccessibleName(name)
        self.setToolTip(name)

    def set_icon(self, icon: str) -> None:
        """Show another icon on the same button."""
        self._icon = icon
        self._tint()

    def _tint(self) -> None:
        self.setIcon(self._theme.icon(self._icon, self._color, self._size_px))


class ElidedButton(QPushButton):
    """A text that can be pressed, and ends in an ellipsis where there is too little room."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        """Return room for a few characters, so that a long text never widens the window."""
        width_px = self.fontMetrics().averageCharWidth() * _LEAST_CHARACTERS
        return QSize(width_px, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        contents = QStyle.SubElement.SE_PushButtonContents
        room_px = self.style().subElementRect(contents, option, self).width()
        option.text = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, room_px
        )
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)
