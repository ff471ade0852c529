"""The dialog in which a person says how the answers of one conversation are made."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chat.values import AnswerSettings
from inference.types import Sampling
from ui.answer_settings.field import Field
from ui.answer_settings.number_field import Number, NumberField
from ui.answer_settings.numbers import Numbers
from ui.answer_settings.overflow_field import OverflowField
from ui.answer_settings.text_fields import PromptField, StopField
from ui.labels import text_label
from ui.theme import Theme

_SIZE_PX = (560, 660)


class AnswerSettingsDialog(QDialog):
    """Fields for an `AnswerSettings`; what cannot be used is said beside its field and kept back.

    Signals:
        saved: (settings: AnswerSettings).
    """

    saved = Signal(object)

    def __init__(
        self,
        theme: Theme,
        settings: AnswerSettings,
        *,
        defaults: Sampling,
        default_prompt: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Answer settings"))
        self.resize(*_SIZE_PX)
        numbers = Numbers(defaults, self)
        self._prompt = PromptField(theme, default_prompt, settings.system_prompt)
        self._overflow = OverflowField(theme, settings.overflow)
        self._main = _fields(theme, numbers.main(), settings)
        self._more = _fields(theme, numbers.more(), settings)
        self._stop = StopField(theme, settings.stop)
        self._unfold = QPushButton()
        self._unfold.setProperty("role", "link")
        self._unfold.clicked.connect(lambda: self._show_more(is_shown=self._more_box.isHidden()))
        self._lay_out()
        self._show_more(is_shown=any(field.is_set for field in (*self._more, self._stop)))
        for field in self._fields:
            field.changed.connect(self._look)
        self._look()

    @property
    def settings(self) -> AnswerSettings:
        """What is entered; a number that cannot be used counts as not entered."""
        values: dict[str, Any] = {field.name: field.value for field in self._numbers}
        return AnswerSettings(
            system_prompt=self._prompt.value,
            stop=self._stop.value,
            overflow=self._overflow.value,
            **values,
        )

    @property
    def _numbers(self) -> tuple[NumberField, ...]:
        return (*self._main, *self._more)

    @property
    def _fields(self) -> tuple[Field, ...]:
        return (self._prompt, self._overflow, *self._numbers, self._stop)

    def reset(self) -> None:
        """Take every default again."""
        for field in self._fields:
            field.reset()

    def _lay_out(self) -> None:
        self._more_box = QWidget()
        _stack(self._more_box, *self._more, self._stop)
        content = QWidget()
        content.setObjectName("page")
        column = _stack(content, self._prompt, self._overflow, *self._main)
        column.setContentsMargins(26, 6, 22, 10)
        column.addWidget(self._unfold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._more_box)
        column.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(content)
        head = QVBoxLayout()
        head.setContentsMargins(26, 20, 26, 8)
        head.addWidget(text_label(self.tr("Answer settings"), "title"))
        about = self.tr("For this conversation only. Changes apply from the next answer.")
        head.addWidget(text_label(about, "muted", wrap=True))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self._area, 1)
        outer.addLayout(self._build_buttons())

    def _build_buttons(self) -> QHBoxLayout:
        self._reset_all = QPushButton(self.tr("Reset all"))
        self._reset_all.clicked.connect(self.reset)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self._save = QPushButton(self.tr("Save"))
        self._save.setProperty("role", "primary")
        self._save.clicked.connect(self._on_saved)
        for button in (self._reset_all, cancel):
            button.setAutoDefault(False)
        self._save.setDefault(True)
        row = QHBoxLayout()
        row.setContentsMargins(26, 12, 26, 18)
        row.setSpacing(8)
        row.addWidget(self._reset_all)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self._save)
        return row

    def _show_more(self, *, is_shown: bool) -> None:
        self._more_box.setVisible(is_shown)
        self._unfold.setText(self.tr("Fewer controls") if is_shown else self.tr("More controls"))

    def _look(self) -> None:
        self._save.setEnabled(not any(field.problem for field in self._fields))
        self._reset_all.setEnabled(any(field.is_set for field in self._fields))

    def _on_saved(self) -> None:
        self.saved.emit(self.settings)
        self.accept()


def _fields(
    theme: Theme, numbers: tuple[Number, ...], settings: AnswerSettings
) -> tuple[NumberField, ...]:
    return tuple(NumberField(theme, each, getattr(settings, each.name)) for each in numbers)


def _stack(place: QWidget, *fields: Field) -> QVBoxLayout:
    column = QVBoxLayout(place)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(16)
    for field in fields:
        column.addWidget(field)
    return column
