"""Fetches how a conversation's answers are made, lets a person change it, and hands it back."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.chat import prompts
from app.chat.values import AnswerSettings
from inference.types import Sampling
from ui.answer_settings.dialog import AnswerSettingsDialog
from ui.chat.overflow_choice import Answers
from ui.tasks import Tasks
from ui.theme import Theme


class AnswerSettingsDesk(QObject):
    """Opens the dialog, one at a time; GUI thread only.

    Signals:
        changed: (conversation_id, settings: AnswerSettings): its answers are made so now.
        failed: (error).
    """

    changed = Signal(str, object)
    failed = Signal(object)

    def __init__(
        self,
        answers: Answers,
        defaults: Callable[[], Sampling],
        theme: Theme,
        tasks: Tasks,
        window: QWidget,
    ) -> None:
        """Make it; `defaults` says how the model in use wants its answers drawn."""
        super().__init__(window)
        self._answers = answers
        self._defaults = defaults
        self._theme = theme
        self._tasks = tasks
        self._window = window
        self._dialog: AnswerSettingsDialog | None = None

    def open(self, conversation_id: str) -> None:
        """Show the settings of a conversation, of one that has not begun as well."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        future = self._answers.answer_settings(conversation_id)
        self._tasks.run(
            future, lambda settings: self._show(conversation_id, settings), self.failed.emit, self
        )

    def _show(self, conversation_id: str, settings: AnswerSettings) -> None:
        if self._dialog is not None:
            return
        dialog = self._dialog = AnswerSettingsDialog(
            self._theme,
            settings,
            defaults=self._defaults(),
            default_prompt=prompts.system_prompt(),
            parent=self._window,
        )
        dialog.saved.connect(lambda chosen: self._keep(conversation_id, chosen))
        dialog.finished.connect(self._forget)
        dialog.open()

    def _keep(self, conversation_id: str, settings: AnswerSettings) -> None:
        future = self._answers.set_answer_settings(conversation_id, settings)
        self._tasks.run(
            future, lambda _: self.changed.emit(conversation_id, settings), self.failed.emit, self
        )

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
