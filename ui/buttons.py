"""Buttons that wear an icon and change it with the theme."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from ui.theme import Theme


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
