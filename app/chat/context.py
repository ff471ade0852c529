"""What the model sees of a conversation when not all of it fits.

History is the context. When it no longer fits, the oldest turns leave in one large step, down to
half of the window: cutting a little on every turn would change the beginning of the prompt each
time, and the model would have to read everything again each time. Where the cut is, is kept and
shown. A cut for which a running summary is ready goes before any other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.chat.outlook import Count, Outlook
from app.errors import ContextFull
from inference.errors import ContextOverflow
from inference.types import ChatMessage

_TURNS_KEPT = 2


@dataclass(frozen=True, slots=True)
class Fitted:
    """What goes to the model.

    Attributes:
        messages: The system prompt, where there is one, and the history from `first_seen` on.
        first_seen: Index into what could be told of the oldest message that is left.
        used_tokens: Length of `messages` as a prompt.
    """

    messages: tuple[ChatMessage, ...]
    first_seen: int
    used_tokens: int


def fit(outlook: Outlook, *, budget_tokens: int, count: Count, may_cut: bool = True) -> Fitted:
    """Choose what the model sees, in `budget_tokens` at most.

    The last message is always seen; what lies before an earlier cut stays unseen.

    Raises:
        ContextFull: It does not fit without a cut, and none may be made.
        ContextOverflow: The last turn alone does not fit.
    """
    at = _prompts(outlook, count)
    whole = at(outlook.first)
    if whole.used_tokens <= budget_tokens:
        return whole
    if may_cut and outlook.covered and outlook.covered[-1].index > outlook.first:
        prepared = at(outlook.covered[-1].index)
        if prepared.used_tokens <= budget_tokens:
            return prepared
    starts = _starts(outlook) or [outlook.first]
    cut = _cut(starts, at, budget_tokens=budget_tokens)
    if not may_cut:
        raise ContextFull(needed_tokens=whole.used_tokens, limit_tokens=budget_tokens)
    return cut


def next_cut(outlook: Outlook, *, rest_tokens: int, count: Count) -> int:
    """Return where to cut so that `rest_tokens` are left at most, or twice that in the last turns.

    It is 0 where no cut can do that.
    """
    starts = _starts(outlook)
    if not starts:
        return 0
    try:
        return _cut(starts, _prompts(outlook, count), budget_tokens=rest_tokens * 2).first_seen
    except ContextOverflow:
        return 0


def _prompts(outlook: Outlook, count: Count) -> Callable[[int], Fitted]:
    def at(start: int) -> Fitted:
        messages = outlook.prompt(start)
        return Fitted(messages, start, count(messages))

    return at


def _starts(outlook: Outlook) -> list[int]:
    return [
        index
        for index, entry in enumerate(outlook.told)
        if index > outlook.first and entry.told.role == "user"
    ]


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
