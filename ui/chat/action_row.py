"""The quiet line below an answer: copy it, ask for another one, and how it came about."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.buttons import IconButton
from ui.labels import text_label
from ui.theme import Theme

ROW_PX = 30


class _QuietButton(IconButton):
    """A button that is always there for the keyboard, and seen only when its row is."""

    is_revealed = True

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_revealed or self.hasFocus():
            super().paintEvent(event)


class ActionRow(QWidget):
    """Buttons and measurements; shown for the last answer, and for one under pointer or focus.

    Signals:
        copy_requested: Copy the answer.
        regenerate_requested: Ask for another answer.
    """

    copy_requested = Signal()
    regenerate_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._copy = _QuietButton(theme, "copy", self.tr("Copy answer"), size_px=16)
        self._copy.clicked.connect(self.copy_requested)
        self._regenerate = _QuietButton(theme, "retry", self.tr("Regenerate"), size_px=16)
        self._regenerate.clicked.connect(self.regenerate_requested)
        self._metrics = text_label("", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._copy)
        row.addWidget(self._regenerate)
        row.addSpacing(6)
        row.addWidget(self._metrics)
        row.addStretch(1)

    def show_metrics(self, text: str) -> None:
        """Show how the answer came about."""
        self._metrics.setText(text)

    def offer_regenerate(self, is_offered: bool) -> None:
        """Offer another answer, which only the last one can have."""
        self._regenerate.setVisible(is_offered)

    def reveal(self, is_revealed: bool) -> None:
        """Show or hide the line without taking its room away."""
        for button in (self._copy, self._regenerate):
            button.is_revealed = is_revealed
            button.update()
        self._metrics.setVisible(is_revealed)

    def show_copied(self) -> None:
        """Say that the answer is on the clipboard."""
        self._copy.set_icon("check")
        self._copy.set_name(self.tr("Copied"))

    def leaveEvent(self, event: QEvent) -> None:
        """Offer to copy again."""
        super().leaveEvent(event)
        self._copy.set_icon("copy")
        self._copy.set_name(self.tr("Copy answer"))
        self._copy.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
