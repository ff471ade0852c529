"""A line that folds and unfolds what stands below it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from ui.theme import Theme

_ICON_PX = 16


class FoldButton(QPushButton):
    """A text with an arrow; whoever owns it unfolds when it is pressed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_open = False
        self.setProperty("role", "fold")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._tint)
        self._tint()

    def show_state(self, text: str, *, is_open: bool) -> None:
        """Say what is below, and whether it is shown."""
        if text != self.text():
            self.setText(text)
        said = self.tr("Unfolded") if is_open else self.tr("Folded")
        self.setAccessibleDescription(said)
        if is_open != self._is_open:
            self._is_open = is_open
            self._tint()

    def _tint(self) -> None:
        folded = "left" if self.isRightToLeft() else "right"
        self.setIcon(self._theme.icon("down" if self._is_open else folded, "muted", _ICON_PX))
