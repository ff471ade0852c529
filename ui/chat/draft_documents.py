"""The documents that go with the next question.

They are read one after the other: each reading has a process of its own, and a dropped folder would
otherwise start hundreds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.chat.attaching import AttachJob
from app.chat.values import Attachment
from app.errors import DocumentLocked
from inference.errors import Cancelled
from ui.chat.chips import DraftChip
from ui.chat.wording import Wording
from ui.tasks import Tasks
from ui.theme import Theme

_POLL_MS = 100
_MOST_HEIGHT_PX = 152
_GAP_PX = 6

Start = Callable[[str | None], AttachJob]


@dataclass(slots=True, eq=False)
class DraftDocument:
    """A document on its way into a question, whether its chip is on screen or not.

    Attributes:
        start: Begins to read it, with a password or without.
        job: None while it waits for its turn.
        progress: How far it has come, in words.
    """

    path: Path
    start: Start
    job: AttachJob | None = None
    attachment: Attachment | None = None
    error: Exception | None = None
    password: str | None = None
    progress: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being read."""
        return self.attachment is None and self.error is None


class _ChipArea(QScrollArea):
    """As high as its chips, up to a limit."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setObjectName("chips")
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        content = self._content.sizeHint()
        return QSize(content.width(), min(_MOST_HEIGHT_PX, content.height()))


class DraftDocuments(QWidget):
    """Chips of the documents that wait, are read or are ready.

    Signals:
        changed: A document was added, came further, became ready, failed, or went.
        ready_changed: A document became ready, or a ready one was taken out by the person.
        locked: A document needs a password; a `DraftDocument`.
        summarize_requested: Summarize this document; a `DraftDocument`.
        options_requested: Choose how it is summarized; the button to open a menu below.
        open_requested: Show this document; its id.

    Attributes:
        passwords: Document ids to the passwords that opened their files; in memory only, so that
            their pages can be shown while the window is open.
    """

    changed = Signal()
    ready_changed = Signal()
    locked = Signal(object)
    summarize_requested = Signal(object)
    options_requested = Signal(object)
    open_requested = Signal(str)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._wording = Wording(self)
        self.passwords: dict[str, str] = {}
        self._chips: dict[DraftDocument, DraftChip] = {}
        self._waiting: list[DraftDocument] = []
        self._running: DraftDocument | None = None
        self._expected = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._show_progress)
        content = QWidget()
        content.setObjectName("chips_content")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(_GAP_PX)
        self._area = _ChipArea(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._area)
        self.hide()

    @property
    def documents(self) -> tuple[DraftDocument, ...]:
        """Those that wait, are read, ready or failed, in the order they came."""
        return tuple(self._chips)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Those that are ready."""
        return tuple(each.attachment for each in self._chips if each.attachment is not None)

    @property
    def is_reading(self) -> bool:
        """Whether one waits or is still being read, or is about to come."""
        return self._expected > 0 or any(each.is_open for each in self._chips)

    def chip(self, document: DraftDocument) -> DraftChip:
        """Return the chip of a document."""
        return self._chips[document]

    def add(self, path: Path, start: Start) -> DraftDocument:
        """Read a document when its turn has come."""
        document = DraftDocument(path, start, progress=self._wording.waiting())
        self._put(document)
        self._waiting.append(document)
        self._start_next()
        self.changed.emit()
        return document

    def expect(self, count: int) -> None:
        """Let nothing be sent before what was dropped has come; a negative count takes it back."""
        self._expected += count
        self.changed.emit()

    def retry(self, document: DraftDocument, password: str) -> None:
        """Read a locked document before all others, with a password."""
        document.error = None
        document.job = None
        document.password = password
        self._waiting.insert(0, document)
        self._start_next()
        self._refresh(document)

    def show_documents(self, documents: tuple[DraftDocument, ...]) -> None:
        """Show other documents, of another conversation."""
        for document in self.documents:
            self._take_off(document)
        for document in documents:
            self._put(document)
        self.changed.emit()

    def remove(self, document: DraftDocument) -> None:
        """Take a document out; stop reading it."""
        if document in self._waiting:
            self._waiting.remove(document)
        if document.job is not None:
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

    def _start_next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        document = self._running = self._waiting.pop(0)
        password, document.password = document.password, None
        job = document.job = document.start(password)

        def done(attachment: Attachment) -> None:
            document.attachment = attachment
            if password is not None:
                self.passwords[attachment.document_id] = password
            self._end(document)
            self.ready_changed.emit()

        def failed(error: Exception) -> None:
            document.error = error
            if isinstance(error, Cancelled):
                self._take_off(document)
            self._end(document)
            if isinstance(error, DocumentLocked):
                self.locked.emit(document)

        self._tasks.run(job, done, failed, self)
        self._timer.start()

    def _end(self, document: DraftDocument) -> None:
        if self._running is document:
            self._running = None
        self._start_next()
        self._refresh(document)

    def _put(self, document: DraftDocument) -> None:
        chip = DraftChip(self._theme, document.path.name, self)
        chip.remove_requested.connect(lambda: self.remove(document))
        chip.summarize_requested.connect(lambda: self.summarize_requested.emit(document))
        chip.options_requested.connect(self.options_requested)
        chip.unlock_requested.connect(lambda: self.locked.emit(document))
        chip.open_requested.connect(lambda: self._on_open(document))
        self._chips[document] = chip
        self._column.addWidget(chip)
        self.show()
        self._fit()
        self._refresh(document)

    def _on_open(self, document: DraftDocument) -> None:
        if document.attachment is not None:
            self.open_requested.emit(document.attachment.document_id)

    def _take_off(self, document: DraftDocument) -> None:
        chip = self._chips.pop(document, None)
        if chip is not None:
            self._column.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.setVisible(bool(self._chips))
        self._fit()

    def _fit(self) -> None:
        self._column.invalidate()
        self._area.setFixedHeight(self._area.sizeHint().height())

    def _refresh(self, document: DraftDocument) -> None:
        chip = self._chips.get(document)
        if chip is not None and document.attachment is not None:
            chip.show_ready(document.attachment)
        elif chip is not None and document.error is not None:
            chip.show_error(document.error)
        elif chip is not None:
            chip.show_progress(document.progress)
        self._fit()
        self.changed.emit()

    def _show_progress(self) -> None:
        document = self._running
        if document is None or document.job is None:
            self._timer.stop()
            return
        text = self._wording.reading(document.job.progress())
        if text != document.progress:
            document.progress = text
            chip = self._chips.get(document)
            if chip is not None and document.is_open:
                chip.show_progress(text)
            self.changed.emit()
