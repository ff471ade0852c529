"""The one owner of an answer's life: it lets the turn grow, and has it kept.

Events come on the generator's thread and only touch the turn. The store's thread commits what has
grown on its beat, twice a second, and writes the last state when the answer ends. An answer
therefore goes on and is kept whether anybody looks or not.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.chat.archive import Archive
from app.chat.outcome import Outcome, failed, joined
from app.chat.turn import Turn
from app.chat.values import Message, TurnView
from app.errors import StoreError
from app.ports import Clock


@dataclass(slots=True)
class _Recording:
    """An answer that is being kept; `kept` is what of text and thought is in the store."""

    turn: Turn
    answer: Message
    model_id: str
    kept: tuple[str, str]
    lost: StoreError | None = None


class Recorder:
    """Keeps growing answers; its methods belong to the store's thread.

    Args:
        archive: Where they are kept.
        on_ending: Called with the answer, just before its turn has ended, kept or not.
        on_ended: Called when a turn has ended.
    """

    def __init__(
        self,
        archive: Callable[[], Archive],
        clock: Clock,
        *,
        on_ending: Callable[[Turn, Message], None],
        on_ended: Callable[[Turn], None],
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._on_ending = on_ending
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
        kept = (answer.text, answer.thought)
        self._recordings[turn.id] = _Recording(turn, answer, model_id, kept)

    def commit(self) -> None:
        """Keep what has grown since the last time; an answer that cannot be kept is stopped."""
        for recording in self._recordings.values():
            view = recording.turn.view()
            grown = (view.text, view.thought)
            if grown == recording.kept or recording.lost:
                continue
            try:
                self._archive().write(recording.answer.id, *grown)
            except StoreError as error:
                recording.lost = error
                recording.turn.cancel()
            else:
                recording.kept = grown

    def end(self, turn: Turn, outcome: Outcome) -> None:
        """End a turn and keep its last state; harmless the second time.

        One that was never started ends too, but nothing of it is in the store.
        """
        if turn.view().message is not None:
            return
        recording = self._recordings.pop(turn.id, None)
        if recording is None:
            answer = _ended(turn.answer, turn.view(), outcome)
        else:
            answer = self._keep(recording, outcome)
        self._on_ending(turn, answer)
        turn.end(answer)
        self._on_ended(turn)

    def interrupt_all(self) -> None:
        """End what is still growing, because the program ends."""
        for recording in tuple(self._recordings.values()):
            self.end(recording.turn, Outcome("interrupted"))

    def _keep(self, recording: _Recording, outcome: Outcome) -> Message:
        view = recording.turn.view()
        answer = _ended(
            recording.answer, view, failed(recording.lost) if recording.lost else outcome
        )
        # The model may have been chosen only when the question came.
        model_id = answer.metrics.model_id if answer.metrics else recording.model_id
        try:
            self._archive().finish(answer, updated_s=self._clock.now_s(), model_id=model_id)
        except StoreError as error:
            return _ended(answer, view, failed(error))
        return answer


def _ended(answer: Message, view: TurnView, outcome: Outcome) -> Message:
    return replace(
        answer,
        text=view.text,
        state=outcome.state,
        metrics=joined(answer.metrics, outcome.metrics),
        error_code=outcome.error_code,
        error_facts=outcome.error_facts,
        thought=view.thought,
        thought_s=outcome.thought_s or view.thought_s,
        citations=outcome.citations,
        kind=outcome.kind or answer.kind,
    )
