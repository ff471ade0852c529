"""What the model sees of a conversation when not all of it fits.

History is the context. When it no longer fits, the oldest turns leave in one large step, down to
half of the window: cutting a little on every turn would change the beginning of the prompt each
time, and the model would have to read everything again each time. Where the cut is, is kept and
shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inference.errors import ContextOverflow
from inference.types import ChatMessage

_TURNS_KEPT = 2

Count = Callable[[tuple[ChatMessage, ...]], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What goes to the model.

    Attributes:
        messages: The system prompt, where there is one, and the history from `first_seen` on.
        first_seen: Index into the history of the oldest message that is left.
        used_tokens: Length of `messages` as a prompt.
    """

    messages: tuple[ChatMessage, ...]
    first_seen: int
    used_tokens: int


def fit(
    system_prompt: str,
    history: Sequence[ChatMessage],
    *,
    limit_tokens: int,
    reserve_tokens: int,
    count: Count,
    first_seen: int = 0,
) -> Fitted:
    """Choose what the model sees so that `reserve_tokens` of the window stay for the answer.

    `history` is oldest first, and its last message, the question, is always seen. What lies before
    `first_seen`, an earlier cut, stays unseen. `limit_tokens` is the whole window.

    Raises:
        ContextOverflow: The question alone does not fit.
    """
    budget_tokens = limit_tokens - reserve_tokens

    def at(start: int) -> Fitted:
        messages = _prompt(system_prompt, history[start:])
        return Fitted(messages, start, count(messages))

    whole = at(first_seen)
    if whole.used_tokens <= budget_tokens:
        return whole
    starts = [
        index
        for index, message in enumerate(history)
        if index > first_seen and message.role == "user"
    ]
    return _cut(starts or [first_seen], at, budget_tokens=budget_tokens)


def _cut(starts: Sequence[int], at: Callable[[int], Fitted], *, budget_tokens: int) -> Fitted:
    """Return the longest rest within half of the budget, or the last two turns where they fit."""
    best = at(starts[-1])
    if best.used_tokens > budget_tokens:
        raise ContextOverflow(needed_tokens=best.used_tokens, limit_tokens=budget_tokens)
    fits, too_many, step = 1, len(starts) + 1, 1
    while fits + 1 < too_many:
        # Steps double from the end and then halve, so that a huge history is never counted whole.
        turns = min(fits + step, too_many - 1)
        candidate = at(starts[-turns])
        if candidate.used_tokens <= (budget_tokens if turns <= _TURNS_KEPT else budget_tokens // 2):
            best, fits, step = candidate, turns, step * 2
        else:
            too_many, step = turns, max(1, (turns - fits) // 2)
    return best


def _prompt(system_prompt: str, history: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    system = (ChatMessage("system", system_prompt),) if system_prompt else ()
    return (*system, *history)
