"""Takes files, folders and pictures into the draft of the open conversation."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.chat.attaching import AttachJob
from app.documents.folders import expand
from app.documents.values import LeftOut
from app.messages import describe_code
from ui.chat.draft_documents import DraftDocuments
from ui.chat.pasting import PastedImages
from ui.notices import translate_message
from ui.tasks import Tasks

if TYPE_CHECKING:
    from app.chat.service import ChatService

MOST_FILES = 500


class Intake(QObject):
    """Adds documents one by one; GUI thread only.

    Signals:
        failed: (error): a picture could not be kept.
        said: (sentence): something of a folder was not taken.

    Attributes:
        conversation_id: The conversation whose draft gets them.
    """

    failed = Signal(object)
    said = Signal(str)

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

        def done(found: Sequence[Path | LeftOut]) -> None:
            if asked_for == self.conversation_id:
                self._add([each for each in found if isinstance(each, Path)])
                self._say([each for each in found if isinstance(each, LeftOut)], len(found))
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

    def _say(self, left_out: Sequence[LeftOut], count: int) -> None:
        """Say what of a folder is not taken."""
        if count == MOST_FILES:
            self.said.emit(self.tr("Only the first {} files were taken.").format(MOST_FILES))
        elif left_out:
            first = left_out[0]
            facts: dict[str, str | int | float] = {"name": first.name, "count": len(left_out)}
            self.said.emit(describe_code(first.code, facts, translate_message).message)

    def _start(self, conversation_id: str, path: Path, password: str | None) -> AttachJob:
        return self._chat.attach(conversation_id, path, password=password)


def _expanded(paths: Sequence[Path]) -> list[Path | LeftOut]:
    return list(islice(expand(paths), MOST_FILES))
