"""Everything that is being added, at the foot of the models page; it moves nothing above it."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from ui.models.download_row import DownloadRow
from ui.models.jobs import Addition, Jobs
from ui.theme import Theme

_TALLEST_PX = 260


class DownloadPanel(QFrame):
    """One row for each addition; it only shows what `Jobs` knows, so it may come and go.

    Signals:
        resume_wanted: (key).
        discard_wanted: (key): what was paused is wanted no more.
        again_wanted: (key).
        token_wanted: (key).
    """

    resume_wanted = Signal(int)
    discard_wanted = Signal(int)
    again_wanted = Signal(int)
    token_wanted = Signal(int)

    def __init__(self, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._jobs = jobs
        self._rows: dict[int, tuple[object, DownloadRow]] = {}
        self.setObjectName("dock")
        self.setAccessibleName(self.tr("Models being added"))
        self._list = QWidget()
        self._list.setObjectName("dock_list")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(16, 4, 16, 4)
        self._column.setSpacing(0)
        self._area = QScrollArea()
        self._area.setObjectName("dock_area")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area)
        jobs.changed.connect(self._show)
        self._show()

    @property
    def rows(self) -> tuple[DownloadRow, ...]:
        """The rows that are shown, the oldest addition first."""
        return tuple(row for _, row in self._rows.values())

    def _show(self) -> None:
        additions = self._jobs.additions
        keys = {each.key for each in additions}
        for key in [key for key in self._rows if key not in keys]:
            _, row = self._rows.pop(key)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for each in additions:
            self._show_one(each)
        self.setVisible(bool(additions))
        if additions:
            self._column.activate()
            self._area.setFixedHeight(min(_TALLEST_PX, self._list.sizeHint().height()))

    def _show_one(self, addition: Addition) -> None:
        if addition.key not in self._rows:
            row = self._make_row(addition)
            self._rows[addition.key] = (addition.job, row)
            self._column.addWidget(row)
        job, row = self._rows[addition.key]
        if job is not addition.job:
            self._rows[addition.key] = (addition.job, row)
            row.set_ready()
        if addition.view.is_last:
            row.set_ready()
        row.show_view(addition.view)

    def _make_row(self, addition: Addition) -> DownloadRow:
        key = addition.key
        can_try_again = addition.wanted is not None
        row = DownloadRow(self._theme, addition.title, can_try_again=can_try_again)
        row.pause_wanted.connect(lambda: self._stop(key, is_kept=True))
        row.cancel_wanted.connect(lambda: self._stop(key, is_kept=False))
        row.resume_wanted.connect(lambda: self._ask(key, self.resume_wanted))
        row.again_wanted.connect(lambda: self.again_wanted.emit(key))
        row.token_wanted.connect(lambda: self.token_wanted.emit(key))
        row.dismissed.connect(lambda: self._jobs.forget(key))
        return row

    def _stop(self, key: int, *, is_kept: bool) -> None:
        addition = self._jobs.get(key)
        if addition is None:
            return
        if addition.view.is_last:
            self._ask(key, self.discard_wanted)
            return
        self._rows[key][1].set_asked()
        if is_kept:
            addition.job.pause()
        else:
            addition.job.cancel()

    def _ask(self, key: int, signal: SignalInstance) -> None:
        self._rows[key][1].set_asked()
        signal.emit(key)
