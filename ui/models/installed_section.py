"""The models that are here."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.messages import describe, readable_bytes
from app.models import licences
from ui.chat.wording import number
from ui.labels import text_label
from ui.models.model_card import catalog_text
from ui.models.section import Row, Section
from ui.notices import translate_message
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.installed import InstalledModel, ModelProblem


class InstalledSection(Section):
    """Which of them answers, and the way to each one's details.

    Signals:
        use_wanted: (model_id): answer with this one.
        details_wanted: (model_id).
        remove_wanted: (model_id): of one that cannot be used.
    """

    use_wanted = Signal(str)
    details_wanted = Signal(str)
    remove_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Installed"), parent=parent)
        self._theme = theme
        self._used_id = ""
        self._shown: tuple[object, ...] = ()
        self._use_buttons: dict[str, QPushButton] = {}
        self._badges: dict[str, QWidget] = {}
        self._size = text_label(role="muted")
        self.head.addWidget(self._size)

    def show_models(
        self, models: "tuple[InstalledModel, ...]", problems: "tuple[ModelProblem, ...]" = ()
    ) -> None:
        """Show what is here; what cannot be used says why."""
        if (models, problems) == self._shown:
            return
        self._shown = (models, problems)
        self._use_buttons, self._badges = {}, {}
        used = readable_bytes(sum(model.disk_bytes for model in models))
        self._size.setText(self.tr("{} on disk").format(used))
        self.set_rows(
            [
                *(self._row(model) for model in models),
                *(self._broken_row(problem) for problem in problems),
            ]
        )
        self.show_used(self._used_id)

    def show_used(self, model_id: str) -> None:
        """Mark the model that answers."""
        self._used_id = model_id
        for each, button in self._use_buttons.items():
            button.setVisible(each != model_id)
            self._badges[each].setVisible(each == model_id)

    def _row(self, model: "InstalledModel") -> Row:
        title = catalog_text(model.title)
        facts = [model.quantization, readable_bytes(model.disk_bytes)]
        if model.context_tokens:
            facts.append(self.tr("{} tokens of context").format(number(model.context_tokens)))
        known = licences.licence(model.licence)
        facts.append(known.name if known else model.licence)
        row = Row(self._theme, "spark", title, " · ".join(fact for fact in facts if fact))
        row.words += f" {model.id} {model.architecture}".lower()
        badge = text_label(self.tr("In use"), "badge")
        row.head.addWidget(badge)
        row.head.addStretch(1)
        use = _small(self.tr("Use"), self.tr("Use {}").format(title))
        use.clicked.connect(lambda: self.use_wanted.emit(model.id))
        details = _small(self.tr("Details…"), self.tr("Details of {}").format(title))
        details.clicked.connect(lambda: self.details_wanted.emit(model.id))
        row.buttons.addWidget(use)
        row.buttons.addWidget(details)
        self._use_buttons[model.id], self._badges[model.id] = use, badge
        return row

    def _broken_row(self, problem: "ModelProblem") -> Row:
        notice = describe(problem.error, translate_message)
        row = Row(self._theme, "warning", problem.id, notice.message, color="warning")
        remove = _small(self.tr("Remove"), self.tr("Remove {}").format(problem.id))
        remove.clicked.connect(lambda: self.remove_wanted.emit(problem.id))
        row.buttons.addWidget(remove)
        return row


class PausedSection(Section):
    """Downloads that were stopped before this start, or by another program.

    Signals:
        resume_wanted: (model_id).
        discard_wanted: (model_id).
    """

    resume_wanted = Signal(str)
    discard_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Paused"), parent=parent)
        self._theme = theme
        self._shown: tuple[tuple[str, str, int, int], ...] = ()

    def show_downloads(self, downloads: "tuple[tuple[str, str, int, int], ...]") -> None:
        """Show downloads as (id, title, done bytes, total bytes)."""
        if downloads == self._shown:
            return
        self._shown = downloads
        self.set_rows([self._row(*each) for each in downloads])

    def _row(self, model_id: str, title: str, done_bytes: int, total_bytes: int) -> Row:
        title = catalog_text(title)
        facts = self.tr("{done} of {total} are here").format(
            done=readable_bytes(done_bytes), total=readable_bytes(total_bytes)
        )
        row = Row(self._theme, "pause", title, facts, color="muted")
        resume = _small(self.tr("Resume"), self.tr("Resume {}").format(title))
        resume.clicked.connect(lambda: self.resume_wanted.emit(model_id))
        discard = _small(self.tr("Discard"), self.tr("Discard what came of {}").format(title))
        discard.clicked.connect(lambda: self.discard_wanted.emit(model_id))
        row.buttons.addWidget(resume)
        row.buttons.addWidget(discard)
        return row


def _small(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "small")
    button.setAccessibleName(name)
    return button
