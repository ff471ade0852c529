"""Opens a document for looking at it: its text from the store, its pages from its file."""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.chat.values import Attachment
from app.documents.document import ReadDocument
from ui.documents.renders import PageRenders, Renderer
from ui.documents.viewer import DocumentViewer, Passage, Why
from ui.tasks import Tasks

_BLOCK_BYTES = 1 << 20


class Reading(Protocol):
    """The part of the chat service that this file uses."""

    def document(self, document_id: str) -> Future[ReadDocument]:
        """Return a document as it was read."""
        ...

    def attach(self, conversation_id: str, path: Path) -> Future[Attachment]:
        """Read a file, for a message of a conversation or to look at it."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was found; `why` keeps it from being shown as it looks."""

    document: ReadDocument
    why: Why


class Opening(QObject):
    """Brings documents into a viewer; GUI thread only.

    Signals:
        failed: (error): the document cannot be shown at all.
    """

    failed = Signal(object)

    def __init__(
        self,
        reading: Reading,
        open_renderer: Callable[[Path, str | None], Renderer],
        viewer: DocumentViewer,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._reading = reading
        self._open_renderer = open_renderer
        self._viewer = viewer
        self._tasks = tasks
        self._asked_for = ""
        self._shown = ""

    @property
    def shown(self) -> str:
        """Id of the document that is shown; empty where there is none."""
        return self._shown

    def open(
        self, document_id: str, path: Path | None, password: str | None, passage: Passage | None
    ) -> None:
        """Show a document, at a passage; what is shown already is only turned to the passage."""
        if document_id == self._shown:
            self._viewer.show_passage(passage)
            return
        self._asked_for = document_id

        def found(opened: Opened) -> None:
            if self._asked_for == document_id:
                self._show(document_id, opened, path, password, passage)

        def read(document: ReadDocument) -> None:
            if self._asked_for == document_id:
                self._tasks.start(
                    lambda: Opened(document, _look(document, path)), found, self.failed.emit, self
                )

        self._tasks.run(self._reading.document(document_id), read, self.failed.emit, self)

    def forget(self) -> None:
        """Show nothing; what is still on its way is not shown either."""
        self._asked_for = self._shown = ""

    def _show(
        self,
        document_id: str,
        opened: Opened,
        path: Path | None,
        password: str | None,
        passage: Passage | None,
    ) -> None:
        self._shown = document_id
        if opened.why or path is None:
            self._viewer.show_text(opened.document, opened.why, passage)
            return
        file = path
        pages = opened.document.pages
        renders = PageRenders(lambda: self._open_renderer(file, password), self._tasks, pages=pages)
        self._viewer.show_look(opened.document, renders, passage)


def _look(document: ReadDocument, path: Path | None) -> Why:
    """Tell whether the file can be shown as it looks; reads all of it."""
    # Not before a document is looked at: it takes the watch over processes with it.
    from app.documents.viewing import has_look  # noqa: PLC0415

    # Files attached to a PDF are parts of the document, but nothing draws them.
    if not has_look(document.kind) or any(page.part for page in document.pages):
        return "no_look"
    if path is None:
        return "no_file"
    try:
        if path.stat().st_size != document.size_bytes:
            return "changed"
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
    except (OSError, ValueError):
        return "no_file"
    return "" if digest.hexdigest() == document.sha256 else "changed"
