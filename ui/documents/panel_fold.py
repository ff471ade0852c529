"""Folds the documents panel away, and gives it its width of the last time."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from ui.documents.panel import LEAST_PX, DocumentsPanel

_LEAST_CHAT_PX = 360
_USUAL_PX = 460


class _Beside(QSplitter):
    """Chat and panel; how wide it is becomes known when it is shown.

    Signals:
        shown: It has come on the screen.
    """

    shown = Signal()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()


class PanelFold(QObject):
    """Puts chat and panel side by side; where there is no room for both, the panel goes first.

    Signals:
        wished: (is_visible): a person chose this.
        widened: (width_px): a person gave the panel this width.
    """

    wished = Signal(bool)
    widened = Signal(int)

    def __init__(
        self, chat: QWidget, panel: DocumentsPanel, *, is_wished: bool, width_px: int
    ) -> None:
        super().__init__(panel)
        self._chat = chat
        self._panel = panel
        self._width_px = width_px or _USUAL_PX
        self._is_wished = is_wished
        self._is_possible = True
        self._is_placed = False
        self.splitter = _Beside(Qt.Orientation.Horizontal)
        self.splitter.setObjectName("beside")
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(chat)
        self.splitter.addWidget(panel)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.splitterMoved.connect(self._on_moved)
        self.splitter.shown.connect(self._show)
        self._show()

    @property
    def is_visible(self) -> bool:
        """Whether the panel is shown, or would be beside the chat."""
        return self._is_wished

    def wish(self, *, is_visible: bool) -> None:
        """Do what a person asks for, and remember it."""
        self.show(is_visible=is_visible)
        self.wished.emit(is_visible)

    def show(self, *, is_visible: bool) -> None:
        """Show the panel or fold it away for now."""
        self._is_wished = is_visible
        self._show()

    def allow(self, is_possible: bool) -> None:
        """Show the panel beside the chat only, and not beside other pages."""
        self._is_possible = is_possible
        self._show()

    def fit(self) -> None:
        """Take note of another width of the window."""
        self._show()

    def _show(self) -> None:
        is_shown = self._is_wished and self._is_possible
        room_px = self.splitter.width()
        is_narrow = is_shown and room_px < _LEAST_CHAT_PX + LEAST_PX and self.splitter.isVisible()
        was_shown = self._is_placed and not self._panel.isHidden() and not self._chat.isHidden()
        self._panel.setVisible(is_shown)
        self._chat.setVisible(not is_narrow)
        if is_shown and not is_narrow and not was_shown and self.splitter.isVisible():
            self._is_placed = True
            self.splitter.setSizes([max(1, room_px - self._width_px), self._width_px])

    def _on_moved(self) -> None:
        width_px = self.splitter.sizes()[1]
        if width_px and not self._chat.isHidden():
            self._width_px = width_px
            self.widened.emit(width_px)
