"""Two models or devices side by side, on the person's own prompts and text."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.messages import describe
from app.models.comparing_values import Trial
from app.models.comparing_words import CONTEXT, names, sentences
from ui.devices.desk import run_aside
from ui.labels import text_label
from ui.models.compare_answers import CompareAnswers
from ui.models.compare_choices import CompareChoices
from ui.models.compare_desk import CompareDesk, CompareWork
from ui.models.compare_figures import CompareFigures
from ui.models.compare_progress import share
from ui.notices import translate_message
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.comparing_job import CompareView
    from app.models.comparing_values import ComparisonReport
    from app.models.installed import InstalledModel

_SIZE_PX = (880, 760)
_POLL_MS = 100
_STEPS = 1000
_TABLE_EDGE_PX = 4


class CompareDialog(QDialog):
    """Chooses, starts, stops, and shows what comes; GUI thread only.

    Closing it stops a comparison under way.
    """

    def __init__(
        self,
        desk: Callable[[], CompareDesk],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        chosen_id: str = "",
    ) -> None:
        """Make it; `desk` is asked for on a thread at first, and `chosen_id` is compared first."""
        super().__init__(parent)
        self._find_desk = desk
        self._desk: CompareDesk | None = None
        self._chosen_id = chosen_id
        self._job: CompareWork | None = None
        self._report: ComparisonReport | None = None
        self._names: tuple[str, ...] = ()
        self.setWindowTitle(self.tr("Compare models"))
        self.resize(*_SIZE_PX)
        self._choices = CompareChoices(theme)
        self._choices.changed.connect(self._offer)
        self._start = QPushButton(self.tr("Start"))
        self._start.setProperty("role", "primary")
        self._start.clicked.connect(self._begin)
        self._stop = QPushButton(self.tr("Stop"))
        self._stop.clicked.connect(self._end)
        self._note = text_label(self.tr("Looking for models…"), "muted", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(self.tr("Progress of the comparison"))
        self._verdict = text_label(wrap=True)
        self._verdict.setAccessibleName(self.tr("What differs"))
        self._figures = CompareFigures(self)
        self._table = self._make_table()
        self._answers = CompareAnswers()
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._look)
        self._lay_out()
        self._offer()
        tasks.run(run_aside(self._find), self._show_found, self._show_failure, self)
        tasks.run(run_aside(self._find_devices), self._choices.show_devices, _ignore, self)

    @property
    def choices(self) -> CompareChoices:
        """What is chosen."""
        return self._choices

    @property
    def figures(self) -> CompareFigures:
        """The table's model."""
        return self._figures

    @property
    def answers(self) -> CompareAnswers:
        """The answers shown."""
        return self._answers

    @property
    def note(self) -> str:
        """What is said of the work."""
        return self._note.text()

    @property
    def verdict(self) -> str:
        """What differs, a sentence in each line."""
        return self._verdict.text()

    @property
    def is_running(self) -> bool:
        """Whether a comparison is under way."""
        return self._job is not None

    def done(self, result: int) -> None:
        """Close, and stop what runs."""
        self._end()
        self._timer.stop()
        super().done(result)

    def _find(self) -> "tuple[CompareDesk, tuple[InstalledModel, ...]]":
        desk = self._find_desk()
        return desk, desk.models()

    def _find_devices(self) -> tuple[str, ...]:
        return self._find_desk().device_names()

    def _show_found(self, found: "tuple[CompareDesk, tuple[InstalledModel, ...]]") -> None:
        self._desk, models = found
        self._choices.show_models(models, self._chosen_id)
        self._note.setText(
            self.tr(
                "Each model answers by itself, one after the other, which takes some minutes."
                " What is asked meanwhile slows them down."
            )
            if models
            else self.tr("There is no model to compare yet.")
        )
        self._offer()

    def _offer(self) -> None:
        """Let be pressed what can be."""
        is_asked = bool(self._choices.prompts or self._choices.document)
        is_ready = self._desk is not None and bool(self._choices.contenders) and is_asked
        self._start.setEnabled(is_ready and not self.is_running)
        self._stop.setEnabled(self.is_running)
        self._choices.setEnabled(not self.is_running)
        self._bar.setVisible(self.is_running)

    def _begin(self) -> None:
        if self._desk is None or self.is_running:
            return
        trial = Trial(self._choices.prompts)
        self._report, self._names = None, ()
        self._figures.show_report(None)
        self._answers.begin((), ())
        self._verdict.clear()
        self._job = self._desk.start(self._choices.contenders, trial, self._choices.document)
        self._offer()
        self._stop.setFocus()
        self._look()
        self._timer.start()

    def _end(self) -> None:
        if self._job is not None:
            self._stop.setEnabled(False)
            self._job.stop()

    def _look(self) -> None:
        if self._job is None:
            return
        view = self._job.view()
        if view.report is not None and view.report is not self._report:
            self._show_report(view.report)
        if not view.is_last:
            self._note.setText(self._progress_text(view))
            return
        self._timer.stop()
        self._job = None
        self._offer()
        self._start.setFocus()
        if view.error is not None:
            self._show_failure(view.error)
        else:
            stopped = self.tr("Stopped. What was measured stays.")
            self._note.setText(stopped if view.stage == "stopped" else self.tr("Done."))

    def _show_report(self, report: "ComparisonReport") -> None:
        self._report = report
        named = names(report.measured)
        if named != self._names:
            self._names = named
            self._answers.begin(named, report.prompts)
        self._figures.show_report(report, named)
        # All of it is seen: the page around it scrolls.
        head, rows = self._table.horizontalHeader(), self._table.verticalHeader()
        self._table.setFixedHeight(head.sizeHint().height() + rows.length() + _TABLE_EDGE_PX)
        self._table.setVisible(True)
        self._answers.show_report(report)
        self._bar.setValue(round(_STEPS * share(report)))
        failed = [
            f"{name}: {describe(each.error, translate_message).message}"
            for name, each in zip(named, report.measured, strict=True)
            if each.error is not None
        ]
        self._verdict.setText("\n".join((*failed, *sentences(report, _translate))))

    def _progress_text(self, view: "CompareView") -> str:
        if view.report is None:
            return self.tr("Reading the document…")
        for name, each in zip(self._names, view.report.measured, strict=True):
            if each.stage in ("device", "loading"):
                return self.tr("{} is being loaded…").format(name)
            if each.stage == "answering":
                at, total = max(1, len(each.answers)), len(view.report.prompts)
                text = self.tr("{name} answers prompt {number} of {total}…")
                return text.format(name=name, number=at, total=total)
            if each.stage == "scoring":
                return self.tr("{} reads the document…").format(name)
        return ""

    def _show_failure(self, error: Exception) -> None:
        notice = describe(error, translate_message)
        self._note.setText(f"{notice.message} {notice.action}")

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setObjectName("sheet")
        table.setModel(self._figures)
        table.setAccessibleName(self.tr("Figures"))
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.setVisible(False)
        return table

    def _lay_out(self) -> None:
        work = QHBoxLayout()
        work.setSpacing(10)
        work.addWidget(self._note, 1)
        work.addWidget(self._start)
        work.addWidget(self._stop)
        results = QWidget()
        results.setObjectName("page")
        shown = QVBoxLayout(results)
        shown.setContentsMargins(0, 0, 12, 0)
        shown.setSpacing(10)
        shown.addWidget(self._verdict)
        shown.addWidget(self._table)
        shown.addWidget(self._answers)
        shown.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(results)
        area.setAccessibleName(self.tr("Results"))
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.reject)
        close.setAutoDefault(False)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(8)
        column.addWidget(text_label(self.tr("Compare models"), "title"))
        column.addWidget(self._choices)
        column.addLayout(work)
        column.addWidget(self._bar)
        column.addWidget(area, 1)
        column.addLayout(foot)


def _translate(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)


def _ignore(_error: Exception) -> None:
    """Do without the devices' names: the wishes are there."""
