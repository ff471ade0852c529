"""Keeps what a person says about older messages once the model's window is full."""

from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.chat.values import AnswerSettings, Overflow
from ui.tasks import Tasks


class Answers(Protocol):
    """The part of the chat service that knows how answers are made."""

    def answer_settings(self, conversation_id: str) -> Future[AnswerSettings]:
        """Return how a conversation's answers are made."""
        ...

    def set_answer_settings(self, conversation_id: str, settings: AnswerSettings) -> Future[None]:
        """Make them in another way from the next one on."""
        ...


class OverflowChoice(QObject):
    """Changes that one setting of a conversation and leaves the others.

    Signals:
        made: (conversation_id, settings: AnswerSettings).
        failed: (error).
    """

    made = Signal(str, object)
    failed = Signal(object)

    def __init__(self, answers: Answers, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._answers = answers
        self._tasks = tasks

    def make(self, conversation_id: str, overflow: Overflow) -> None:
        """Keep the choice; `made` comes once it is in force."""

        def set_in(settings: AnswerSettings) -> None:
            chosen = replace(settings, overflow=overflow)
            future = self._answers.set_answer_settings(conversation_id, chosen)
            self._tasks.run(
                future, lambda _: self.made.emit(conversation_id, chosen), self.failed.emit, self
            )

        future = self._answers.answer_settings(conversation_id)
        self._tasks.run(future, set_in, self.failed.emit, self)
