"""The one owner of an answer's life: it lets the turn grow, and has it kept.

Events come on the generator's thread and only touch the turn. The store's thread commits what has
grown on its beat, twice a second, and writes the last state when the answer ends. An answer
therefore goes on and is kept whether anybody looks or not.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.chat.archive import Archive
from app.chat.outcome import Outcome, failed
from app.chat.turn import Turn
from app.chat.values import Message
from app.errors import StoreError
from app.ports import Clock


@dataclass(slots=True)
class _Recording:
    """An answer that is being kept: its place in the store, and what of its text is there."""

    turn: Turn
    answer: Message
    model_id: str
    kept_text: str = ""
    lost: StoreError | None = None


class Recorder:
    """Keeps growing answers; its methods belong to the store's thread.

    Args:
        archive: Where they are kept.
        on_ended: Called when a turn has ended, kept or not.
    """

    def __init__(
        self, archive: Callable[[], Archive], clock: Clock, *, on_ended: Callable[[Turn], None]
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._on_ended = on_ended
        self._recordings: dict[str, _Recording] = {}

    def is_recording(self) -> bool:
        """Whether any answer is growing."""
        return bool(self._recordings)

    def has(self, turn: Turn) -> bool:
        """Whether this answer is growing."""
        return turn.id in self._recordings

    def start(self, turn: Turn, answer: Message, *, model_id: str) -> None:
        """Keep `turn` from now on, in the place of `answer`."""
        self._recordings[turn.id] = _Recording(turn, answer, model_id)

    def commit(self) -> None:
        """Keep what has grown since the last time; an answer that cannot be kept is stopped."""
        for recording in self._recordings.values():
            text = recording.turn.view().text
            if text == recording.kept_text or recording.lost:
                continue
            try:
                self._archive().write(recording.answer.id, text)
            except StoreError as error:
                recording.lost = error
                recording.turn.cancel()
            else:
                recording.kept_text = text

    def end(self, turn: Turn, outcome: Outcome) -> None:
        """End a turn and keep its last state; harmless the second time.

        One that was never started ends too, but nothing of it is in the store.
        """
        if turn.view().message is not None:
            return
        recording = self._recordings.pop(turn.id, None)
        if recording is None:
            answer = _ended(turn.answer, "", outcome)
        else:
            answer = self._keep(recording, outcome)
        turn.end(answer)
        self._on_ended(turn)

    def interrupt_all(self) -> None:
        """End what is still growing, because the program ends."""
        for recording in tuple(self._recordings.values()):
            self.end(recording.turn, Outcome("interrupted"))

    def _keep(self, recording: _Recording, outcome: Outcome) -> Message:
        text = recording.turn.view().text
        answer = _ended(
            recording.answer, text, failed(recording.lost) if recording.lost else outcome
        )
        # The model may have been chosen only when the question came.
        model_id = answer.metrics.model_id if answer.metrics else recording.model_id
        try:
            self._archive().finish(answer, updated_s=self._clock.now_s(), model_id=model_id)
        except StoreError as error:
            return _ended(answer, text, failed(error))
        return answer


def _ended(answer: Message, text: str, outcome: Outcome) -> Message:
    return replace(
        answer,
        text=text,
        state=outcome.state,
        metrics=outcome.metrics,
        error_code=outcome.error_code,
        error_facts=outcome.error_facts,
    )
