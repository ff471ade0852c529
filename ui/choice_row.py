"""Buttons side by side where there is room, and one below the other where there is not."""

from PySide6.QtWidgets import QBoxLayout, QPushButton

_GAP_PX = 8


class ChoiceRow(QBoxLayout):
    """Lays out a few buttons; whoever owns it says how wide it may be."""

    def __init__(self, left_px: int) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight)
        self._left_px = left_px
        self._buttons: list[QPushButton] = []
        self.setContentsMargins(left_px, 0, 0, 0)
        self.setSpacing(_GAP_PX)
        self.addStretch(1)

    def show_buttons(self, *buttons: QPushButton) -> None:
        """Lay out these instead of those before."""
        for button in self._buttons:
            self.removeWidget(button)
        self._buttons = list(buttons)
        for at, button in enumerate(buttons):
            self.insertWidget(at, button)

    def fit(self, width_px: int) -> None:
        """Take the direction for which there is room."""
        wanted_px = self._left_px + sum(
            button.sizeHint().width() + _GAP_PX for button in self._buttons
        )
        is_wide = wanted_px <= width_px
        sideways, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self.setDirection(sideways if is_wide else down)
