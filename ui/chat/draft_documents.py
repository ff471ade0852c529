"""The documents that go with the next question."""

from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.attaching import AttachJob
from app.chat.values import Attachment
from inference.errors import Cancelled
from ui.chat.chips import DraftChip
from ui.tasks import Tasks
from ui.theme import Theme

_POLL_MS = 100


@dataclass(slots=True, eq=False)
class DraftDocument:
    """A document on its way into a question, whether its chip is on screen or not."""

    job: AttachJob
    attachment: Attachment | None = None
    error: Exception | None = None


class DraftDocuments(QWidget):
    """Chips of the documents that are read or ready.

    Signals:
        changed: A document was added, became ready, failed, or went.
        ready_changed: A document became ready, or a ready one was taken out by the person.
        summarize_requested: Summarize this document; a `DraftDocument`.
    """

    changed = Signal()
    ready_changed = Signal()
    summarize_requested = Signal(object)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._chips: dict[DraftDocument, DraftChip] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._show_progress)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(6)
        self.hide()

    @property
    def documents(self) -> tuple[DraftDocument, ...]:
        """Those that are read, ready or failed, in the order they came."""
        return tuple(self._chips)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Those that are ready."""
        return tuple(each.attachment for each in self._chips if each.attachment is not None)

    @property
    def is_reading(self) -> bool:
        """Whether one is still being read."""
        return any(not each.attachment and not each.error for each in self._chips)

    def chip(self, document: DraftDocument) -> DraftChip:
        """Return the chip of a document."""
        return self._chips[document]

    def add(self, job: AttachJob) -> None:
        """Follow a job until its document is ready."""
        document = DraftDocument(job)
        self._put(document)

        def done(attachment: Attachment) -> None:
            document.attachment = attachment
            self._refresh(document)
            self.ready_changed.emit()

        def failed(error: Exception) -> None:
            document.error = error
            if isinstance(error, Cancelled):
                self.remove(document)
            self._refresh(document)

        self._tasks.run(job, done, failed, self)

    def show_documents(self, documents: tuple[DraftDocument, ...]) -> None:
        """Show other documents, of another conversation."""
        for document in self.documents:
            self._take_off(document)
        for document in documents:
            self._put(document)
        self.changed.emit()

    def remove(self, document: DraftDocument) -> None:
        """Take a document out; stop reading it."""
        document.job.cancel()
        self._take_off(document)
        self.changed.emit()
        if document.attachment is not None:
            self.ready_changed.emit()

    def clear_ready(self, attachments: tuple[Attachment, ...]) -> None:
        """Take out the documents that a question has taken."""
        for document in self.documents:
            if document.attachment in attachments:
                self._take_off(document)
        self.changed.emit()

    def _put(self, document: DraftDocument) -> None:
        chip = DraftChip(self._theme, document.job.path.name, self)
        chip.remove_requested.connect(lambda: self.remove(document))
        chip.summarize_requested.connect(lambda: self.summarize_requested.emit(document))
        self._chips[document] = chip
        self._column.addWidget(chip)
        self.show()
        self._refresh(document)

    def _take_off(self, document: DraftDocument) -> None:
        chip = self._chips.pop(document, None)
        if chip is not None:
            chip.hide()
            chip.deleteLater()
        self.setVisible(bool(self._chips))

    def _refresh(self, document: DraftDocument) -> None:
        chip = self._chips.get(document)
        if chip is not None and document.attachment is not None:
            chip.show_ready(document.attachment)
        elif chip is not None and document.error is not None:
            chip.show_error(document.error)
        if self.is_reading:
            self._timer.start()
        self.changed.emit()

    def _show_progress(self) -> None:
        for document, chip in self._chips.items():
            if document.attachment is None and document.error is None:
                chip.show_progress(*document.job.progress())
        if not self.is_reading:
            self._timer.stop()
