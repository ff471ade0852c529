"""Takes files, folders and pictures into the draft of the open conversation."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.chat.attaching import AttachJob
from ui.chat.draft_documents import DraftDocuments
from ui.chat.pasting import PastedImages
from ui.tasks import Tasks

if TYPE_CHECKING:
    from app.chat.service import ChatService

MOST_FILES = 500


class Intake(QObject):
    """Adds documents one by one; GUI thread only.

    Signals:
        failed: (error): a picture could not be kept.

    Attributes:
        conversation_id: The conversation whose draft gets them.
    """

    failed = Signal(object)

    def __init__(
        self,
        chat: "ChatService",
        documents: DraftDocuments,
        tasks: Tasks,
        pasted: Path | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._documents = documents
        self._tasks = tasks
        self._images = PastedImages(pasted, tasks, self) if pasted is not None else None
        self.conversation_id = ""

    def add(self, paths: Sequence[Path]) -> None:
        """Add files, and what lies in folders; which of them are folders is looked up elsewhere."""
        asked_for = self.conversation_id
        self._documents.expect(1)

        def done(found: Sequence[Path]) -> None:
            if asked_for == self.conversation_id:
                self._add(found)
            self._documents.expect(-1)

        self._tasks.start(lambda: _expanded(paths), done, self._on_failed, self)

    def add_image(self, image: QImage) -> None:
        """Add a picture that has no file."""
        if self._images is not None:
            self._documents.expect(1)
            self._images.keep(image, self._on_image, self._on_failed)

    def clear(self) -> None:
        """Remove the files of pictures that were pasted."""
        if self._images is not None:
            self._images.clear()

    def _on_image(self, path: Path) -> None:
        self._add([path])
        self._documents.expect(-1)

    def _on_failed(self, error: Exception) -> None:
        self._documents.expect(-1)
        self.failed.emit(error)

    def _add(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self._documents.add(path, partial(self._start, self.conversation_id, path))

    def _start(self, conversation_id: str, path: Path, password: str | None) -> AttachJob:
        return self._chat.attach(conversation_id, path, password=password)


def _expanded(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(each for each in path.rglob("*") if each.is_file())
        else:
            found.append(path)
    return found[:MOST_FILES]
