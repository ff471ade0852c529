"""One question and its growing answer, as the window, the command line and the recorder share it.

The recorder writes from the threads that bring events, readers look whenever they like: everything
here is behind one lock and nothing here ever waits, but `wait`.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from app.chat.values import Message, Stage, TurnView


class Turn:
    """A turn under way or ended; all methods may be called from any thread.

    Attributes:
        id: The same as `answer_id`.
        question: What was asked; None where an answer is asked for again, or goes on.
        goes_on: Whether the answer has ended before and grows again, from the text it has.
    """

    def __init__(
        self, answer: Message, question: Message | None = None, *, goes_on: bool = False
    ) -> None:
        self.id = answer.id
        self.answer_id = answer.id
        self.conversation_id = answer.conversation_id
        self.answer = answer
        self.question = question
        self.goes_on = goes_on
        self._changed = threading.Condition()
        self._view = TurnView(
            revision=0,
            text=answer.text,
            stage="waiting",
            thought=answer.thought,
            thought_s=answer.thought_s,
        )
        self._thinks_since_s: float | None = None
        self._stop: Callable[[], None] | None = None
        self._is_cancelled = False
        self._is_kept = False

    def view(self) -> TurnView:
        """Return the turn as it is now."""
        with self._changed:
            return self._view

    def cancel(self) -> None:
        """Ask for the end; what was written stays. Never blocks, harmless when it has ended."""
        with self._changed:
            self._is_cancelled = True
            stop = self._stop
        if stop is not None:
            stop()

    def wait(self, timeout_s: float | None = None) -> TurnView:
        """Return the view once the turn has ended, or as it is after `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._view.message is not None, timeout_s)
            return self._view

    @property
    def is_cancelled(self) -> bool:
        """Whether its end was asked for."""
        with self._changed:
            return self._is_cancelled

    @property
    def is_kept(self) -> bool:
        """Whether the question is in the store; where it is not, whoever asked must not lose it."""
        with self._changed:
            return self._is_kept

    def keep(self) -> None:
        """For the recorder: note that the question is in the store."""
        with self._changed:
            self._is_kept = True

    def set_stop(self, stop: Callable[[], None]) -> None:
        """For the recorder: how to stop what is running; called at once if that was asked for."""
        with self._changed:
            self._stop = stop
            is_late = self._is_cancelled
        if is_late:
            stop()

    def see_from(self, message_id: str, running_summary: str = "") -> None:
        """For the recorder: the oldest message the model sees, and what stands for the others."""
        self._change(first_seen_id=message_id, running_summary=running_summary)

    def move_to(self, stage: Stage, done: int = 0, total: int = 0) -> None:
        """For the recorder: what is going on now."""
        self._change(stage=stage, done=done, total=total)

    def grow(self, text: str) -> None:
        """For the recorder: the next piece of the answer."""
        with self._changed:
            thought_s = self._view.thought_s
            if self._thinks_since_s is not None:
                thought_s += time.monotonic() - self._thinks_since_s
                self._thinks_since_s = None
            text = self._view.text + text
            self._change(text=text, stage="writing", done=0, total=0, thought_s=thought_s)

    def think(self, text: str) -> None:
        """For the recorder: the next piece of what the model thinks."""
        with self._changed:
            if self._thinks_since_s is None:
                self._thinks_since_s = time.monotonic()
            self._change(thought=self._view.thought + text, stage="thinking", done=0, total=0)

    def show(self, text: str, stage: Stage, *, done: int = 0, total: int = 0) -> None:
        """For the recorder: the whole answer as it is now, which may differ anywhere."""
        self._change(text=text, stage=stage, done=done, total=total)

    def end(self, message: Message) -> None:
        """For the recorder: the answer as it was kept; nothing changes after it."""
        with self._changed:
            self._change(
                stage="done",
                done=0,
                total=0,
                text=message.text,
                thought=message.thought,
                thought_s=message.thought_s,
                message=message,
            )
            self._stop = None

    def _change(self, **changes: object) -> None:
        with self._changed:
            if self._view.message is None:
                revision = self._view.revision + 1
                self._view = replace(self._view, revision=revision, **changes)  # type: ignore[arg-type]
                self._changed.notify_all()
