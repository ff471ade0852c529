"""The button that leads back to the latest message."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from ui.buttons import IconButton
from ui.theme import Theme

_GAP_PX = 12


class JumpButton(IconButton):
    """Hangs above the lower edge of a widget, in the middle, wherever that moves."""

    def __init__(self, theme: Theme, above: QWidget, parent: QWidget) -> None:
        super().__init__(theme, "down", "", parent=parent)
        self.set_name(self.tr("Go to the latest message"))
        self.setProperty("role", "jump")
        self._above = above
        above.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget below."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def offer(self, *, is_offered: bool) -> None:
        """Show or hide it."""
        self.setVisible(is_offered)
        self._place()

    def _place(self) -> None:
        size, below = self.sizeHint(), self._above.geometry()
        left = below.left() + (below.width() - size.width()) // 2
        top = below.bottom() - size.height() - _GAP_PX
        self.setGeometry(left, top, size.width(), size.height())
        self.raise_()
