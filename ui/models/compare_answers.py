"""The answers of a comparison, each prompt's side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from ui.labels import text_label

if TYPE_CHECKING:
    from app.models.comparing_values import Answered, ComparisonReport


class CompareAnswers(QWidget):
    """Grows with the answers; nothing that is there moves when one does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(6)
        self._answers: dict[tuple[int, int], QLabel] = {}
        self._all: list[QLabel] = []

    def text(self, prompt: int, contender: int) -> str:
        """Return what is shown of an answer; both count from 0."""
        label = self._answers.get((prompt, contender))
        return "" if label is None else label.text()

    def begin(self, names: Sequence[str], prompts: Sequence[str]) -> None:
        """Forget the answers shown, and make room for those of another comparison."""
        for label in self._all:
            label.hide()
            label.deleteLater()
        self._answers, self._all = {}, []
        for at, prompt in enumerate(prompts):
            asked = self._add(text_label(prompt, "section", wrap=True), 3 * at, 0, len(names))
            asked.setContentsMargins(0, 10, 0, 0)
            for column, name in enumerate(names):
                self._grid.setColumnStretch(column, 1)
                self._add(text_label(name, "muted"), 3 * at + 1, column)
                answer = _answer_label()
                named = self.tr("Answer of {name} to prompt {number}")
                answer.setAccessibleName(named.format(name=name, number=at + 1))
                self._answers[at, column] = answer
                self._add(answer, 3 * at + 2, column)

    def show_report(self, report: "ComparisonReport") -> None:
        """Show what has come of the answers."""
        for column, measured in enumerate(report.measured):
            for at, answered in enumerate(measured.answers):
                label = self._answers.get((at, column))
                text = self._text(answered)
                if label is not None and label.text() != text:
                    label.setText(text)

    def _text(self, answered: "Answered") -> str:
        text = answered.text.strip()
        if answered.finished is None:
            return text or self.tr("…")
        if answered.finished.reason == "length":
            return self.tr("{}… (cut off)").format(text)
        return text or self.tr("(no words)")

    def _add(self, label: QLabel, row: int, column: int, columns: int = 1) -> QLabel:
        self._all.append(label)
        self._grid.addWidget(label, row, column, 1, columns, Qt.AlignmentFlag.AlignTop)
        return label


def _answer_label() -> QLabel:
    label = text_label(wrap=True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
