"""What the model is given for one answer: the messages that fit, and how long it may answer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.chat import prompts
from app.chat.context import Fitted, fit
from app.chat.history import Fence, Told, tell
from app.chat.values import ContextUse, Message
from app.ports import TextGenerator
from inference.errors import EmptyPrompt
from inference.types import ChatMessage, Sampling

# However long an answer may be, it is promised a quarter of the window and not more.
_WINDOWS_PER_ANSWER = 4
_QUOTE_OR_CODE = re.compile(r"^\s*(?:```|>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Brief:
    """What goes to the generator.

    Attributes:
        first_seen_id: The oldest message the model sees, or empty while it sees all.
        limit_tokens: The window it was fitted to; 0 where its size was not known yet.
        may_quote: Whether there is a document, a quote or code that the answer may repeat.
    """

    messages: tuple[ChatMessage, ...]
    sampling: Sampling
    first_seen_id: str
    limit_tokens: int
    may_quote: bool


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
        first = _first_seen(told, history, first_seen_id)
        messages = _prompt(told[first:])
        sampling = self._sampling()
        limit_tokens = self._generator.context_tokens
        if limit_tokens:
            fitted = self._fit(told, first, limit_tokens, sampling.max_new_tokens)
            messages, first = fitted.messages, fitted.first_seen
            room_tokens = limit_tokens - fitted.used_tokens
            sampling = replace(sampling, max_new_tokens=min(sampling.max_new_tokens, room_tokens))
        return Brief(
            messages,
            sampling,
            told[first].message_id if first else "",
            limit_tokens=limit_tokens,
            may_quote=_may_quote(history),
        )

    def measure(self, history: Sequence[Message], first_seen_id: str) -> ContextUse:
        """Return how much of the window `history` takes, from its cut on."""
        limit_tokens = self._generator.context_tokens
        if not limit_tokens:
            return ContextUse(0, 0)
        told = tell(history, self._fence)
        messages = _prompt(told[_first_seen(told, history, first_seen_id) :])
        return ContextUse(self._generator.count_tokens(messages), limit_tokens)

    def _fit(
        self, told: Sequence[Told], first: int, limit_tokens: int, answer_tokens: int
    ) -> Fitted:
        most_tokens = max(1, limit_tokens // _WINDOWS_PER_ANSWER)
        return fit(
            prompts.system_prompt(),
            [entry.told for entry in told],
            limit_tokens=limit_tokens,
            reserve_tokens=min(answer_tokens, most_tokens),
            count=self._generator.count_tokens,
            first_seen=first,
        )


def _may_quote(history: Sequence[Message]) -> bool:
    has_document = any(message.attachments for message in history)
    return has_document or _QUOTE_OR_CODE.search(history[-1].text) is not None


def _prompt(told: Sequence[Told]) -> tuple[ChatMessage, ...]:
    return (ChatMessage("system", prompts.system_prompt()), *(entry.told for entry in told))


def _first_seen(told: Sequence[Told], history: Sequence[Message], message_id: str) -> int:
    """Return the index into `told` of `message_id`, or of what follows it where it is not told."""
    place = {message.id: index for index, message in enumerate(history)}
    cut = place.get(message_id, 0)
    return next((index for index, entry in enumerate(told) if place[entry.message_id] >= cut), 0)
