"""What the model is given for one answer: the messages that fit, and how long it may answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.chat import prompts
from app.chat.context import fit
from app.chat.history import Fence, Told, tell
from app.chat.values import ContextUse, Message
from app.ports import TextGenerator
from inference.errors import EmptyPrompt
from inference.types import ChatMessage, Sampling

# At least three quarters of a window are for reading, however long an answer may be.
_MOST_OF_WINDOW_FOR_ANSWER = 4


@dataclass(frozen=True, slots=True)
class Brief:
    """What goes to the generator.

    Attributes:
        first_seen_id: The oldest message the model sees, or empty while it sees all.
        is_fitted: False where the window's size is not known yet, so that nothing could be fitted.
    """

    messages: tuple[ChatMessage, ...]
    sampling: Sampling
    first_seen_id: str
    is_fitted: bool


class Briefing:
    """Makes briefs for the model in use.

    Args:
        fence: The text of an attached document, marked as data.
        sampling: How answers are drawn now.
    """

    def __init__(
        self, generator: TextGenerator, fence: Fence, sampling: Callable[[], Sampling]
    ) -> None:
        self._generator = generator
        self._fence = fence
        self._sampling = sampling

    def prepare(self, history: Sequence[Message], first_seen_id: str) -> Brief:
        """Return the brief for the question that `history` ends with.

        Raises:
            EmptyPrompt: There is no question in it.
            ContextOverflow: The question alone does not fit.
        """
        told = tell(history, self._fence)
        if not told or told[-1].told.role != "user":
            raise EmptyPrompt
        first = _index(told, first_seen_id)
        sampling = self._sampling()
        limit_tokens = self._generator.context_tokens
        if not limit_tokens:
            messages = _prompt(told[first:])
            return Brief(messages, sampling, _seen_id(told, first), is_fitted=False)
        reserve_tokens = min(
            sampling.max_new_tokens, max(1, limit_tokens // _MOST_OF_WINDOW_FOR_ANSWER)
        )
        fitted = fit(
            prompts.system_prompt(),
            [entry.told for entry in told],
            limit_tokens=limit_tokens,
            reserve_tokens=reserve_tokens,
            count=self._generator.count_tokens,
            first_seen=first,
        )
        room_tokens = limit_tokens - fitted.used_tokens
        return Brief(
            fitted.messages,
            replace(sampling, max_new_tokens=min(sampling.max_new_tokens, room_tokens)),
            _seen_id(told, fitted.first_seen),
            is_fitted=True,
        )

    def measure(self, history: Sequence[Message], first_seen_id: str) -> ContextUse:
        """Return how much of the window `history` takes, from its cut on."""
        limit_tokens = self._generator.context_tokens
        if not limit_tokens:
            return ContextUse(0, 0)
        told = tell(history, self._fence)
        messages = _prompt(told[_index(told, first_seen_id) :])
        return ContextUse(self._generator.count_tokens(messages), limit_tokens)


def _prompt(told: Sequence[Told]) -> tuple[ChatMessage, ...]:
    return (ChatMessage("system", prompts.system_prompt()), *(entry.told for entry in told))


def _index(told: Sequence[Told], message_id: str) -> int:
    for index, entry in enumerate(told):
        if entry.message_id == message_id:
            return index
    return 0


def _seen_id(told: Sequence[Told], first: int) -> str:
    return told[first].message_id if first else ""
