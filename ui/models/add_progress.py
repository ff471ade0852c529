"""Shows a model being added: what is done now, how far it is, and how to stop it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.messages import readable_bytes
from ui.labels import text_label

if TYPE_CHECKING:
    from app.models.add_job import AddJob, AddView

_INTERVAL_MS = 100
_STEPS = 1000


class AddProgress(QWidget):
    """A bar with a true end, one line of text, and Cancel.

    Signals:
        done: (model_id).
        failed: (error: Exception).
        cancelled: No arguments.
        fetching: (is_fetching: bool): whether bytes come over the network now.
    """

    done = Signal(str)
    failed = Signal(object)
    cancelled = Signal()
    fetching = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job: AddJob | None = None
        self._text = text_label(role="muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._cancel = QPushButton(self.tr("Cancel"))
        self._cancel.clicked.connect(self._stop)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._look)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(self._text)
        column.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addLayout(column, 1)
        row.addWidget(self._cancel)

    @property
    def is_running(self) -> bool:
        """True while a job is followed."""
        return self._job is not None

    def follow(self, job: "AddJob") -> None:
        """Show `job` until it ends."""
        self._job = job
        self._cancel.setEnabled(True)
        self._look()
        if self._job is not None:
            self._timer.start()

    def _look(self) -> None:
        if self._job is None:
            return
        view = self._job.view()
        self._show(view)
        self.fetching.emit(view.stage == "fetching")
        if not view.is_last:
            return
        self._timer.stop()
        self._job = None
        if view.stage == "done":
            self.done.emit(view.model_id)
        elif view.stage == "failed":
            self.failed.emit(view.error)
        else:
            self.cancelled.emit()

    def _show(self, view: "AddView") -> None:
        texts = {
            "space": self.tr("Checking the space…"),
            "fetching": self.tr("Fetching"),
            "joining": self.tr("Putting it together"),
            "checking": self.tr("Checking every byte"),
            "converting": self.tr("Preparing it for this computer"),
            "done": self.tr("Ready"),
        }
        text = texts.get(view.stage, "")
        if view.total_bytes > 0:
            text = self.tr("{step}: {done} of {total}").format(
                step=text,
                done=readable_bytes(view.done_bytes),
                total=readable_bytes(view.total_bytes),
            )
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(min(_STEPS, view.done_bytes * _STEPS // view.total_bytes))
        else:
            self._bar.setRange(0, 0)
        self._text.setText(text)

    def _stop(self) -> None:
        if self._job is not None:
            self._cancel.setEnabled(False)
            self._job.pause()
