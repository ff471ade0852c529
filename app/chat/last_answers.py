"""The last answer of each conversation that was looked at, for whoever must know it at once.

To let an answer go on, a turn has to have its id and its text before the store's thread is free to
say them. What is here is checked against the store when the turn begins.
"""

import threading
from collections.abc import Sequence

from app.chat.turn import Turn
from app.chat.values import Message


class LastAnswers:
    """Remembers last answers; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[str, Message] = {}

    def of(self, conversation_id: str) -> Message | None:
        """Return the last answer of a conversation, or None where it is not known."""
        with self._lock:
            return self._answers.get(conversation_id)

    def note_opened(self, messages: Sequence[Message]) -> None:
        """Remember the last answer of a conversation as it was opened."""
        if messages and messages[-1].role == "assistant":
            with self._lock:
                self._answers[messages[-1].conversation_id] = messages[-1]

    def note_ending(self, turn: Turn, answer: Message) -> None:
        """Remember an answer that ends; another version without text leaves the one before."""
        if answer.text or turn.question is not None:
            with self._lock:
                self._answers[answer.conversation_id] = answer
