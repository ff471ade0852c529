"""Keeps the documents panel in step with the open conversation, and does what it asks for."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.documents.values import Citation
from ui.chat.page import ChatPage
from ui.documents.gathering import Gathering
from ui.documents.opening import Opening
from ui.documents.panel import DocumentsPanel
from ui.documents.panel_fold import PanelFold
from ui.documents.renders import Renderer
from ui.documents.viewer import Passage

OpenRenderer = Callable[[Path, str | None], Renderer]


def _show_folder(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


class Documents(QObject):
    """Acts on what panel and chat ask for; GUI thread only.

    Signals:
        failed: (error).
    """

    failed = Signal(object)

    def __init__(
        self,
        page: ChatPage,
        panel: DocumentsPanel,
        fold: PanelFold,
        opening: Opening,
        *,
        show_folder: Callable[[Path], None] = _show_folder,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._panel = panel
        self._fold = fold
        self._opening = opening
        self._show_folder = show_folder
        self._gathering = Gathering(page)
        page.documents_changed.connect(self.refresh)
        page.conversation_shown.connect(self._on_conversation_shown)
        page.citation_activated.connect(self.show_citation)
        page.document_opened.connect(self.open)
        opening.failed.connect(self.failed)
        panel.open_requested.connect(self.open)
        panel.ask_requested.connect(self._ask)
        panel.summarize_requested.connect(self._summarize)
        panel.options_requested.connect(page.show_summary_options)
        panel.folder_requested.connect(self._show_in_folder)
        panel.remove_requested.connect(self._remove)
        panel.attach_requested.connect(page.choose_files)
        panel.closed.connect(self._close)
        panel.viewer.left.connect(opening.forget)
        self.refresh()

    def refresh(self) -> None:
        """List the documents as they are now."""
        self._panel.show_documents(self._gathering.documents())
        self._panel.offer_summaries(self._page.can_summarize)

    def open(self, document_id: str, passage: Passage | None = None) -> None:
        """Show a document in the panel, at a passage where one is given."""
        path = next(
            (one.path for one in self._gathering.documents() if one.key == document_id), None
        )
        self._fold.show(is_visible=True)
        self._panel.show_viewer()
        password = self._page.composer.documents.passwords.get(document_id)
        self._opening.open(document_id, path, password, passage)
        self._panel.viewer.focus_pages()

    def show_citation(self, citation: Citation) -> None:
        """Show the page that an answer rests on, with the passage marked."""
        place = citation.place
        marks = citation.marked or (citation.passage,)
        self.open(citation.document_id, Passage(place.page, marks, place.cells))

    def switch_focus(self) -> None:
        """Go from the chat to the panel, or back; a panel that is folded away is shown."""
        if self._has_focus():
            self._page.composer.setFocus()
        else:
            self._fold.show(is_visible=True)
            self._panel.take_focus()

    def toggle(self) -> None:
        """Show the panel, or fold it away."""
        if self._panel.isHidden():
            self._fold.wish(is_visible=True)
            self._panel.take_focus()
        else:
            self._close()

    def _has_focus(self) -> bool:
        focused = self._panel.window().focusWidget()
        # Qt's stubs leave out that nothing may have the focus.
        return bool(focused) and self._panel.isAncestorOf(focused)

    def _on_conversation_shown(self) -> None:
        self._opening.forget()
        self._panel.show_list()
        self.refresh()

    def _close(self) -> None:
        self._fold.wish(is_visible=False)
        self._page.composer.setFocus()

    def _ask(self, key: str) -> None:
        document = next((one for one in self._gathering.documents() if one.key == key), None)
        if document is not None:
            self._page.ask_about(document.name)

    def _summarize(self, keys: tuple[str, ...]) -> None:
        known = {one.key: one.attachment for one in self._gathering.documents()}
        chosen = tuple(found for key in keys if (found := known.get(key)) is not None)
        self._page.summarize(chosen)

    def _show_in_folder(self, key: str) -> None:
        for document in self._gathering.documents():
            if document.key == key and document.path is not None:
                self._show_folder(document.path)

    def _remove(self, key: str) -> None:
        document = self._gathering.draft(key)
        if document is not None:
            self._page.composer.documents.remove(document)
