"""One model in full: facts, licence, what it is used for, and what can be done with it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.messages import readable_bytes
from ui.chat.wording import number
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.models.model_card import catalog_text
from ui.models.words import ModelWords
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.installed import InstalledModel
    from ui.models.record import ModelRecord

TaskName = Literal["chat", "summary", "documents"]

_WIDTH_PX = 580
_LICENCE_PX = 150
_STEPS = 1000


class ModelDetails(QDialog):
    """Shows one model; whoever opened it does the work.

    Signals:
        default_changed: (task: TaskName, is_default: bool).
        verify_wanted: Read every byte.
        remove_wanted: No arguments.
        export_wanted: No arguments.
        compare_wanted: No arguments.
    """

    default_changed = Signal(str, bool)
    verify_wanted = Signal()
    remove_wanted = Signal()
    export_wanted = Signal()
    compare_wanted = Signal()

    def __init__(
        self,
        theme: Theme,
        model: "InstalledModel",
        defaults: Mapping[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """Make it; `defaults` has the id of the model that each task was given."""
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self._words = ModelWords(self)
        self._title = catalog_text(model.title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self._title)
        self.setMinimumWidth(_WIDTH_PX)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(18)
        self._facts.setVerticalSpacing(5)
        self._facts.setColumnStretch(1, 1)
        self._values: dict[str, str] = {}
        self._licence = QPlainTextEdit()
        self._licence.setReadOnly(True)
        self._licence.setProperty("role", "field")
        self._licence.setAccessibleName(self.tr("Licence text"))
        self._licence.setFixedHeight(_LICENCE_PX)
        self._licence_head = text_label(self.tr("Licence text"), "section")
        # Tab goes on to the next control; arrow keys scroll.
        self._licence.setTabChangesFocus(True)
        self._checked = text_label(wrap=True)
        self._checked_icon = IconLabel(theme, "check", color="ok")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName(self.tr("Progress of the check"))
        self._verify = self._button(self.tr("Verify"), self.verify_wanted)
        self._export = self._button(self.tr("Export as a pack…"), self.export_wanted)
        self._compare = self._button(self.tr("Compare…"), self.compare_wanted)
        self._remove = self._button(self.tr("Remove"), self.remove_wanted)
        self._defaults = {task: self._box(task, defaults) for task in self._tasks()}
        self._lay_out()
        self._add_facts()
        self._show_check("", "check", "ok")

    @property
    def values(self) -> Mapping[str, str]:
        """The facts shown, by their names."""
        return dict(self._values)

    @property
    def licence_text(self) -> str:
        """The licence shown."""
        return self._licence.toPlainText()

    @property
    def checked_text(self) -> str:
        """What is said of the check; empty before one."""
        return self._checked.text()

    def show_record(self, record: "ModelRecord") -> None:
        """Take what was read from the model's folder."""
        if record.parameters:
            self._fact(self.tr("Size"), self._words.parameters(record.parameters))
            self._fact(self.tr("Quality"), self._words.quality(record.parameters))
        self._fact(self.tr("Came from"), self._words.came_from(record.origin, record.is_catalog))
        self._licence.setPlainText(record.licence_text)
        for part in (self._licence_head, self._licence):
            part.setVisible(bool(record.licence_text))

    def show_progress(self, done_bytes: int, total_bytes: int) -> None:
        """Say how far the check is."""
        self._verify.setEnabled(False)
        self._bar.setValue(done_bytes * _STEPS // max(1, total_bytes))
        text = self.tr("Checking every byte: {done} of {total}").format(
            done=readable_bytes(done_bytes), total=readable_bytes(total_bytes)
        )
        self._show_check(text, "search", "muted", is_running=True)

    def show_checked(self, error_text: str = "") -> None:
        """Say how the check ended."""
        self._verify.setEnabled(True)
        if error_text:
            self._show_check(error_text, "warning", "danger")
        else:
            self._show_check(self.tr("Every byte is as it was when it was added."), "check", "ok")

    def _show_check(self, text: str, icon: str, color: str, *, is_running: bool = False) -> None:
        self._checked.setText(text)
        self._checked_icon.set_icon(icon, color)
        self._checked_icon.setVisible(bool(text))
        self._bar.setEnabled(is_running)
        self._bar.setVisible(is_running)

    def _tasks(self) -> dict[TaskName, str]:
        return {
            "chat": self.tr("Chat"),
            "summary": self.tr("Summaries"),
            "documents": self.tr("Questions on documents"),
        }

    def _box(self, task: TaskName, defaults: Mapping[str, str]) -> QCheckBox:
        box = QCheckBox(self._tasks()[task])
        box.setAccessibleName(self.tr("Use it for: {}").format(box.text()))
        box.setChecked(defaults.get(task) == self._model.id)
        box.toggled.connect(lambda on: self.default_changed.emit(task, on))
        return box

    def _add_facts(self) -> None:
        model = self._model
        kind = " · ".join(part for part in (model.architecture, model.quantization) if part)
        facts = (
            (self.tr("Kind"), kind),
            (self.tr("On disk"), readable_bytes(model.disk_bytes)),
            (self.tr("Context"), self._context(model.context_tokens)),
            (self.tr("Licence"), self._words.licence(model.licence) or self.tr("Not stated")),
        )
        for name, value in facts:
            self._fact(name, value)

    def _context(self, tokens: int) -> str:
        return self.tr("{} tokens").format(number(tokens)) if tokens else ""

    def _fact(self, name: str, value: str) -> None:
        if not value or name in self._values:
            return
        row = len(self._values)
        self._values[name] = value
        said = ElidedLabel()
        said.setText(value)
        said.setToolTip(value)
        said.setAccessibleName(f"{name}: {value}")
        said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts.addWidget(text_label(name, "muted"), row, 0)
        self._facts.addWidget(said, row, 1)

    def _button(self, text: str, signal: SignalInstance) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(self.tr("{}: {}").format(text, self._title))
        button.setAutoDefault(False)
        button.clicked.connect(signal)
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(8)
        title = ElidedLabel("title")
        title.setText(self._title)
        title.setToolTip(self._title)
        column.addWidget(title)
        column.addLayout(self._facts)
        column.addSpacing(6)
        column.addWidget(text_label(self.tr("Use it for"), "section"))
        boxes = QHBoxLayout()
        boxes.setSpacing(18)
        for box in self._defaults.values():
            boxes.addWidget(box)
        boxes.addStretch(1)
        column.addLayout(boxes)
        column.addSpacing(6)
        column.addWidget(self._licence_head)
        column.addWidget(self._licence)
        column.addWidget(self._build_check())
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for button in (self._verify, self._export, self._compare, self._remove):
            foot.addWidget(button)
        foot.addStretch(1)
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.setFocus()
        close.clicked.connect(self.reject)
        foot.addWidget(close)
        column.addLayout(foot)

    def _build_check(self) -> QWidget:
        said = QHBoxLayout()
        said.setSpacing(7)
        said.addWidget(self._checked_icon)
        said.addWidget(self._checked, 1)
        check = QWidget()
        # Its place is kept before the check, so that the buttons below do not move.
        check.setMinimumHeight(self.fontMetrics().height() + 18)
        column = QVBoxLayout(check)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(5)
        column.addLayout(said)
        column.addWidget(self._bar)
        return check
