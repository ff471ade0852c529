"""A document on its way into a conversation."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from app.chat.document_work import DocumentWork
from app.chat.values import Attachment
from app.documents.document import ReadDocument

if TYPE_CHECKING:
    from app.documents.intake import IntakeProgress


class AttachJob(Future[Attachment]):
    """Reads one file and keeps its text; the future of the attachment.

    A `DocumentError` tells what is wrong with the file, `Cancelled` that a person stopped it. The
    password is forgotten with the job.
    """

    def __init__(self, path: Path, password: str | None = None) -> None:
        super().__init__()
        self.path = path
        self._password = password
        self._stopped = threading.Event()
        self._progress: IntakeProgress | None = None

    def progress(self) -> "IntakeProgress | None":
        """Return how far it has come; None before anything is known."""
        return self._progress

    def cancel(self) -> bool:
        """Stop reading; the future then ends with `Cancelled`. Never blocks."""
        self.stop()
        return not self.done()

    def stop(self) -> None:
        """Stop reading, as `cancel` does."""
        self._stopped.set()

    def run(self, work: DocumentWork, keep: Callable[[ReadDocument], Future[Attachment]]) -> None:
        """Read and keep; belongs on a thread of its own."""
        self.set_running_or_notify_cancel()
        try:
            document = work.read(
                self.path,
                on_progress=self._on_progress,
                cancelled=self._stopped,
                password=self._password,
            )
            attachment = keep(document).result()
        except Exception as error:  # noqa: BLE001 - a job runner hands every error to who asked
            self.set_exception(error)
        else:
            self.set_result(attachment)

    def _on_progress(self, progress: "IntakeProgress") -> None:
        self._progress = progress
