"""What the model may keep in memory, and for how long."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.messages import readable_bytes
from app.settings import Settings
from ui.choice_box import ChoiceBox
from ui.labels import text_label
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.runner_view import KvUse

_WIDTH_PX = 520
_LOOK_MS = 1000
_STEPS = 1000
_MIB = 1024 * 1024
_BUDGETS_MB = (256, 512, 1024, 2048, 4096, 8192)
_IDLE_MIN = (5, 15, 30, 60)


class MemoryDialog(QDialog):
    """Each choice is in force at once; there is nothing to save.

    Signals:
        chosen: (changes: dict): new values of `Settings`, by name.
    """

    chosen = Signal(dict)

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        kv_use: "Callable[[], KvUse]",
        *,
        can_shrink: bool,
        parent: QWidget | None = None,
    ) -> None:
        """Make it; `can_shrink` says that the model in use can keep 8-bit numbers."""
        super().__init__(parent)
        self._kv_use = kv_use
        self.setWindowTitle(self.tr("Memory"))
        self.setMinimumWidth(_WIDTH_PX)
        self._budget = ChoiceBox(theme, self.tr("Memory for conversations"))
        self._fill_budgets(settings.kv_budget_mb)
        self._use = text_label(role="muted", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(self.tr("Memory for conversations in use"))
        self._idle = ChoiceBox(theme, self.tr("Give the model's memory back"))
        self._fill_idle(settings.idle_unload_min)
        self._shrink = QCheckBox(self.tr("Compact conversation memory (8-bit)"))
        self._shrink.setChecked(settings.kv_bits == 8)  # noqa: PLR2004 - the setting's own number
        # What was wished for with another model can be taken back with any.
        self._shrink.setEnabled(can_shrink or self._shrink.isChecked())
        self._can_shrink = can_shrink
        self._about_shrinking = text_label(role="muted", wrap=True)
        self._lay_out()
        self._budget.activated.connect(
            lambda: self.chosen.emit({"kv_budget_mb": self._budget.currentData()})
        )
        self._idle.activated.connect(
            lambda: self.chosen.emit({"idle_unload_min": self._idle.currentData()})
        )
        self._shrink.toggled.connect(lambda on: self.chosen.emit({"kv_bits": 8 if on else 32}))
        timer = QTimer(self)
        timer.timeout.connect(self._look)
        timer.start(_LOOK_MS)
        self._look()

    @property
    def use_text(self) -> str:
        """How much is in use."""
        return self._use.text()

    @property
    def shrinking_text(self) -> str:
        """What 8-bit numbers do, or why there are none."""
        return self._about_shrinking.text()

    def _look(self) -> None:
        use = self._kv_use()
        self._about_shrinking.setText(self._what_shrinking_does(use.reason))
        self._bar.setVisible(use.budget_bytes > 0)
        if not use.budget_bytes:
            self._use.setText(self.tr("No model is loaded now."))
            return
        text = self.tr("{} of {} in use")
        used, budget = readable_bytes(use.used_bytes), readable_bytes(use.budget_bytes)
        self._use.setText(text.format(used, budget))
        self._bar.setValue(min(_STEPS, use.used_bytes * _STEPS // use.budget_bytes))

    def _fill_budgets(self, chosen_mb: int) -> None:
        self._budget.addItem(self.tr("Automatic: an eighth of this computer's memory"), 0)
        for each in _with(_BUDGETS_MB, chosen_mb):
            self._budget.addItem(readable_bytes(each * _MIB), each)
        self._budget.setCurrentIndex(self._budget.findData(chosen_mb))

    def _fill_idle(self, chosen_min: int) -> None:
        for each in _with(_IDLE_MIN, chosen_min):
            self._idle.addItem(self.tr("After %Ln minute(s) without a question", "", each), each)
        self._idle.addItem(self.tr("Never"), 0)
        self._idle.setCurrentIndex(self._idle.findData(chosen_min))

    def _what_shrinking_does(self, reason: str) -> str:
        if reason:
            return self.tr("Not in force, because {}.").format(reason)
        if not self._can_shrink:
            return self.tr("The model in use cannot do this.")
        return self.tr(
            "A conversation takes a third of the memory, and a long one is read at half the speed."
            " The first load takes up to a minute longer: it measures whether answers stay as good."
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(6)
        column.addWidget(text_label(self.tr("Memory"), "title"))
        column.addSpacing(8)
        column.addLayout(_head(self.tr("Memory for conversations"), self.tr("KV cache")))
        about = self.tr(
            "A conversation that is still in memory goes on at once; one that is not is read again."
        )
        column.addWidget(text_label(about, "muted", wrap=True))
        column.addWidget(self._budget)
        column.addWidget(self._bar)
        column.addWidget(self._use)
        column.addSpacing(10)
        column.addWidget(self._shrink)
        column.addWidget(self._about_shrinking)
        column.addSpacing(10)
        column.addLayout(_head(self.tr("Give the model's memory back"), self.tr("Idle unload")))
        back = self.tr("The next question loads the model again, which takes some seconds.")
        column.addWidget(text_label(back, "muted", wrap=True))
        column.addWidget(self._idle)
        column.addSpacing(14)
        column.addStretch(1)
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addWidget(text_label(self.tr("Limits are in force from the next load on."), "muted"))
        foot.addStretch(1)
        foot.addWidget(close)
        column.addLayout(foot)


def _head(title: str, term: str) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    row.addWidget(text_label(title))
    row.addWidget(text_label(term, "muted"))
    row.addStretch(1)
    return row


def _with(values: Iterable[int], chosen: int) -> list[int]:
    """Return the values, and the chosen one among them where somebody has written another."""
    return sorted({*values, chosen} - {0})
