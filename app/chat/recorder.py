"""The one owner of an answer's life: it lets the turn grow, and has it kept.

Events come on the generator's thread and only touch the turn. The store's thread commits what has
grown on its beat, twice a second, and writes the last state when the answer ends. An answer
therefore goes on and is kept whether anybody looks or not.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.chat.archive import Archive
from app.chat.turn import Turn
from app.chat.values import AnswerMetrics, Message, MessageState
from app.errors import AppError, StoreError
from app.ports import Clock
from inference.errors import Cancelled, Fact, InferenceError
from inference.types import DeviceChoice, Failed, Finished

_STATES: dict[str, MessageState] = {
    "stop": "complete",
    "length": "length",
    "cancelled": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer ended."""

    state: MessageState
    metrics: AnswerMetrics | None = None
    error_code: str = ""
    error_facts: dict[str, Fact] = field(default_factory=dict)


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
        """Keep the last state of a growing answer and end its turn; harmless the second time."""
        recording = self._recordings.pop(turn.id, None)
        if recording is None:
            return
        if recording.lost:
            outcome = failed(recording.lost)
        text = turn.view().text
        answer = _ended(recording.answer, text, outcome)
        try:
            self._archive().finish(
                answer, updated_s=self._clock.now_s(), model_id=recording.model_id
            )
        except StoreError as error:
            answer = _ended(answer, text, failed(error))
        turn.end(answer)
        self._on_ended(turn)

    def reject(self, turn: Turn, error: AppError | InferenceError) -> None:
        """End a turn that could not even be taken; nothing of it is in the store."""
        turn.end(_ended(turn.answer, "", failed(error)))
        self._on_ended(turn)

    def interrupt_all(self) -> None:
        """End what is still growing, because the program ends."""
        for recording in tuple(self._recordings.values()):
            self.end(recording.turn, Outcome("interrupted"))


def failed(error: AppError | InferenceError) -> Outcome:
    """Return the outcome of an answer that ended with `error`; `Cancelled` is no failure."""
    if isinstance(error, Cancelled):
        return Outcome("cancelled")
    return Outcome("failed", error_code=error.code, error_facts=error.facts)


def outcome_of(event: Finished | Failed, *, model_id: str, device: DeviceChoice | None) -> Outcome:
    """Return the outcome that a generator's last event tells of."""
    if isinstance(event, Failed):
        if event.code == Cancelled.code:
            return Outcome("cancelled")
        return Outcome("failed", error_code=event.code, error_facts=event.facts)
    return Outcome(_STATES[event.reason], _metrics(event, model_id, device))


def _metrics(event: Finished, model_id: str, device: DeviceChoice | None) -> AnswerMetrics:
    intervals = event.generated_tokens - 1
    measurable = intervals > 0 and event.decode_s > 0
    return AnswerMetrics(
        prompt_tokens=event.prompt_tokens,
        cached_tokens=event.cached_tokens,
        generated_tokens=event.generated_tokens,
        ttft_s=event.ttft_s,
        seconds=max(event.ttft_s, event.prefill_s) + event.decode_s,
        tokens_per_s=intervals / event.decode_s if measurable else 0.0,
        model_id=model_id,
        device=device,
    )


def _ended(answer: Message, text: str, outcome: Outcome) -> Message:
    return replace(
        answer,
        text=text,
        state=outcome.state,
        metrics=outcome.metrics,
        error_code=outcome.error_code,
        error_facts=outcome.error_facts,
    )
