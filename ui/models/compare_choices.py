"""What is compared: two models or devices, prompts, and a document."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.models.comparing_values import Contender
from app.models.comparing_words import CONTEXT, OFFICE_PROMPTS
from ui.chat.file_dialog import choose_documents
from ui.choice_box import ChoiceBox
from ui.labels import ElidedLabel, text_label
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.installed import InstalledModel

_PROMPTS_PX = 92


class CompareChoices(QWidget):
    """Signals `changed` (no arguments) when something else is chosen."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Path | None = None
        self._models = (
            ChoiceBox(theme, self.tr("First model")),
            ChoiceBox(theme, self.tr("Second model")),
        )
        self._devices = (
            ChoiceBox(theme, self.tr("Device of the first model")),
            ChoiceBox(theme, self.tr("Device of the second model")),
        )
        for box in self._devices:
            box.addItem(self.tr("Best device"), "auto")
            box.addItem(self.tr("Processor"), "cpu")
        for box in (*self._models, *self._devices):
            box.currentIndexChanged.connect(self.changed)
        translate = QCoreApplication.translate
        self._prompts = QPlainTextEdit(
            "\n".join(translate(CONTEXT, prompt) for prompt in OFFICE_PROMPTS)
        )
        self._prompts.setProperty("role", "field")
        self._prompts.setAccessibleName(self.tr("Prompts, one in each line"))
        self._prompts.setTabChangesFocus(True)
        self._prompts.setFixedHeight(_PROMPTS_PX)
        self._prompts.textChanged.connect(self.changed)
        self._name = ElidedLabel("muted")
        self._choose = QPushButton(self.tr("Choose document…"))
        self._choose.clicked.connect(lambda: choose_documents(self, self._take))
        self._leave = QPushButton(self.tr("Leave it out"))
        self._leave.clicked.connect(lambda: self.set_document(None))
        self._lay_out()
        self.set_document(None)

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """What is chosen; empty where there is no model."""
        return tuple(
            Contender(model.currentData(), device.currentData())
            for model, device in zip(self._models, self._devices, strict=True)
            if model.currentData()
        )

    @property
    def prompts(self) -> tuple[str, ...]:
        """The lines that say something."""
        lines = self._prompts.toPlainText().splitlines()
        return tuple(line.strip() for line in lines if line.strip())

    @property
    def document(self) -> Path | None:
        """What the models are to read."""
        return self._document

    def show_models(self, models: "Sequence[InstalledModel]", chosen_id: str = "") -> None:
        """Offer models: `chosen_id` first, and the next one beside it."""
        ids = [model.id for model in models]
        first = ids.index(chosen_id) if chosen_id in ids else 0
        for box, at in zip(self._models, (first, 0 if first else 1), strict=True):
            box.clear()
            for model in models:
                box.addItem(model.title, model.id)
            if models:
                box.setCurrentIndex(min(at, len(models) - 1))

    def show_devices(self, names: Sequence[str]) -> None:
        """Offer devices by name, behind the wishes."""
        for box in self._devices:
            for name in names:
                if box.findData(name) < 0:
                    box.addItem(name, name)

    def set_document(self, path: Path | None) -> None:
        """Choose a document, or none."""
        self._document = path
        self._name.setText(self.tr("No document") if path is None else path.name)
        self._leave.setVisible(path is not None)
        self.changed.emit()

    def _take(self, paths: Sequence[Path]) -> None:
        self.set_document(paths[0] if paths else None)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        for at, (model, device) in enumerate(zip(self._models, self._devices, strict=True)):
            grid.addWidget(model, 0, at)
            grid.addWidget(device, 1, at)
            grid.setColumnStretch(at, 1)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._name, 1)
        row.addWidget(self._leave)
        row.addWidget(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(grid)
        column.addSpacing(6)
        column.addWidget(text_label(self.tr("Prompts, one in each line"), "section"))
        column.addWidget(self._prompts)
        column.addWidget(text_label(self.tr("A document that both read"), "section"))
        column.addLayout(row)
        chain = [
            *(box for pair in zip(self._models, self._devices, strict=True) for box in pair),
            *(self._prompts, self._leave, self._choose),
        ]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)
