"""Keeps the documents panel in step with the open conversation, and does what it asks for."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.chat.values import Attachment
from app.documents.values import Citation
from ui.chat.page import ChatPage
from ui.documents.gathering import Gathering
from ui.documents.opening import Opening
from ui.documents.panel import DocumentsPanel
from ui.documents.panel_fold import PanelFold
from ui.documents.viewer import Passage
from ui.tasks import Tasks

FindFile = Callable[[str], Future[Path | None]]


def _show_folder(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


class Documents(QObject):
    """Acts on what panel and chat ask for; GUI thread only.

    Attributes:
        find_file: Finds the file of a passage of the library; None where there is no library.

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
        attach: Callable[[Path], Future[Attachment]],
        tasks: Tasks,
        show_folder: Callable[[Path], None] = _show_folder,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._panel = panel
        self._fold = fold
        self._opening = opening
        self._show_folder = show_folder
        self._attach = attach
        self._tasks = tasks
        self._read: dict[str, Attachment] = {}
        self.find_file: FindFile | None = None
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
        self._open_at(document_id, path, passage)

    def show_citation(self, citation: Citation) -> None:
        """Show the page that an answer rests on, with the passage marked.

        A document of the library is read anew: the library keeps passages, not pages.
        """
        place = citation.place
        passage = Passage(place.page, citation.marked or (citation.passage,), place.cells)
        known = any(one.key == citation.document_id for one in self._gathering.documents())
        if known or self.find_file is None:
            self.open(citation.document_id, passage)
        elif citation.document_id in self._read:
            self._show(self._read[citation.document_id], passage)
        else:
            self._read_anew(citation.document_id, passage)

    def _open_at(self, document_id: str, path: Path | None, passage: Passage | None) -> None:
        self._fold.show(is_visible=True)
        self._panel.show_viewer()
        password = self._page.composer.documents.passwords.get(document_id)
        self._opening.open(document_id, path, password, passage)
        self._panel.viewer.focus_pages()

    def _show(self, attachment: Attachment, passage: Passage) -> None:
        self._open_at(attachment.document_id, Path(attachment.path), passage)

    def _read_anew(self, document_id: str, passage: Passage) -> None:
        def read(attachment: Attachment) -> None:
            self._read[document_id] = attachment
            self._show(attachment, passage)

        def found(path: Path | None) -> None:
            if path is None:
                self.open(document_id, passage)
            else:
                self._tasks.run(self._attach(path), read, self.failed.emit, self)

        if self.find_file is not None:
            self._tasks.run(self.find_file(document_id), found, self.failed.emit, self)

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
