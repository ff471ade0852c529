"""Puts the documents beside the chat: panel, viewer, and what keeps them in step."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from ui.chat.page import ChatPage
from ui.documents.controller import Documents
from ui.documents.opening import Opening, Reading
from ui.documents.panel import DocumentsPanel
from ui.documents.panel_fold import PanelFold
from ui.documents.renders import Renderer
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

OpenRenderer = Callable[[Path, str | None], Renderer]


class DocumentDesk(QObject):
    """The documents of the window; GUI thread only.

    Signals:
        failed: (error).
        library_requested: Show the library.
    """

    failed = Signal(object)
    library_requested = Signal()

    def __init__(
        self,
        reading: Reading,
        open_renderer: OpenRenderer,
        *,
        page: ChatPage,
        beside: QWidget,
        settings: SettingsKeeper,
        theme: Theme,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        """Make them; `beside` is what stands left of the panel."""
        super().__init__(parent)
        self.panel = DocumentsPanel(theme)
        self._fold = PanelFold(
            beside,
            self.panel,
            is_wished=settings.value.is_documents_visible,
            width_px=settings.value.documents_width_px,
        )
        self._fold.wished.connect(lambda one: settings.change(is_documents_visible=one))
        self._fold.widened.connect(lambda one: settings.change(documents_width_px=one))
        self.opening = Opening(reading, open_renderer, self.panel.viewer, tasks, self)
        self.documents = Documents(
            page,
            self.panel,
            self._fold,
            self.opening,
            attach=lambda path: reading.attach("", path),
            tasks=tasks,
            parent=self,
        )
        self.documents.failed.connect(self.failed)
        self.panel.library_requested.connect(self.library_requested)
        page.take_drops(self.panel)

    @property
    def splitter(self) -> QSplitter:
        """Chat and panel side by side."""
        return self._fold.splitter

    def allow(self, is_possible: bool) -> None:
        """Show the panel beside the chat only, and not beside other pages."""
        self._fold.allow(is_possible)

    def fit(self) -> None:
        """Take note of another width of the window."""
        self._fold.fit()

    def close(self) -> None:
        """End what draws pages; never waits."""
        self.panel.viewer.close_document()
