"""Models that other programs have on this computer: offered, and never copied without asking."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.messages import describe, readable_bytes
from ui.labels import text_label
from ui.models.section import Row, Section
from ui.notices import translate_message
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.found.values import FoundModel


class FoundSection(Section):
    """A button that looks, and what was found.

    Signals:
        look_wanted: No arguments.
        wanted: (model: FoundModel): add this one.
    """

    look_wanted = Signal()
    wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("On this computer"), stays=True, parent=parent)
        self._theme = theme
        self._button = QPushButton(self.tr("Look for models of other programs"))
        self._button.setProperty("role", "small")
        self._button.clicked.connect(self.look_wanted)
        self.head.addWidget(self._button)
        about = self.tr(
            "Looks for models of LM Studio, Ollama, Jan and GPT4All. Nothing of theirs is changed,"
            " and nothing is copied unless you add one."
        )
        self._said = text_label(about, "muted", wrap=True)
        self.column.insertWidget(1, self._said)

    @property
    def said(self) -> str:
        """What is said of the search."""
        return self._said.text()

    def show_looking(self) -> None:
        """Say that the disk is being looked through."""
        self._button.setEnabled(False)
        self._said.setText(self.tr("Looking…"))

    def show_failure(self, text: str) -> None:
        """Say why nothing can be shown."""
        self._button.setEnabled(True)
        self._said.setText(text)

    def show_found(self, models: "tuple[FoundModel, ...]") -> None:
        """Show what was found, what cannot be run last and with the reason."""
        self._button.setEnabled(True)
        self._button.setText(self.tr("Look again"))
        usable = sum(model.error is None for model in models)
        if not models:
            self._said.setText(self.tr("No models of LM Studio, Ollama, Jan or GPT4All found."))
        else:
            text = self.tr("%Ln model(s) found that Snug can run.", "", usable)
            self._said.setText(text)
        ordered = sorted(models, key=lambda model: model.error is not None)
        self.set_rows([self._row(model) for model in ordered])

    def _row(self, model: "FoundModel") -> Row:
        if model.error is not None:
            reason = describe(model.error, translate_message).message
            facts = self.tr("{program} · {reason}").format(program=model.program, reason=reason)
            return Row(self._theme, "warning", model.name, facts, color="muted")
        parts: list[str] = [model.program]
        if model.summary is not None:
            parts += [model.summary.quantization, readable_bytes(model.summary.bytes)]
        parts.append(model.licence)
        facts = " · ".join(part for part in parts if part)
        row = Row(self._theme, "folder", model.name, facts)
        add = QPushButton(self.tr("Add"))
        add.setProperty("role", "small")
        add.setAccessibleName(self.tr("Add {}").format(model.name))
        add.clicked.connect(lambda: self.wanted.emit(model))
        row.buttons.addWidget(add)
        return row
