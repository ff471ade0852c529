"""Drafts by n-grams: where an answer repeats its prompt, what came next there is tried here.

A draft is computed in one call together with the token before it, and each of its tokens is kept
only when the sampler draws the very same from the model's own logits. So the answer is what it
would have been; it only comes in fewer calls.

A call with a draft costs more than a plain one, so a draft is made only as long as it is expected
to pay: from how often matches of such a length came true in this answer, and from what calls of
such a size took on this machine. Matches are counted without being tried as well, which costs
nothing, so drafts come back where an answer begins to quote.
"""

from collections import defaultdict
from collections.abc import Sequence

_GRAM_TOKENS = 2
_LONGEST_MATCH_TOKENS = 24
_PLACES = 8
# Tokens of a match, and how often what follows such a match is expected to be right at first.
_EXPECTED = ((2, 0.25), (3, 0.4), (4, 0.55), (6, 0.7), (10, 0.85), (16, 0.92))
_EXPECTED_WEIGHT = 3.0
_MEMORY = 0.93
_LEAST_GAIN = 1.08
# What a call takes in units of a call with one token: measured with 1.5 B weights and two threads.
_COSTS = (1.0, 1.05, 1.25, 1.45, 1.65, 1.85, 2.05, 2.3)
_COST_CALLS = 3
# What holds up a call says nothing of its size, so a faster one counts for more than a slower one.
_FASTER_WEIGHT = 0.4
_SLOWER_WEIGHT = 0.08
_OUTLIER = 3.0


class StepCosts:
    """What a call with so many tokens takes, in units of one with a single token."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        self._calls: defaultdict[int, int] = defaultdict(int)

    def measured(self, tokens: int, seconds: float) -> None:
        """Learn how long a call with `tokens` tokens took."""
        known = self._seconds.get(tokens, seconds)
        self._calls[tokens] += 1
        if seconds < known * _OUTLIER:
            weight = _FASTER_WEIGHT if seconds < known else _SLOWER_WEIGHT
            self._seconds[tokens] = known + weight * (seconds - known)

    def of(self, tokens: int) -> float:
        """Return what a call with `tokens` tokens costs: as expected, and more and more as seen."""
        expected = _COSTS[min(tokens, len(_COSTS)) - 1]
        calls = min(self._calls[1], self._calls[tokens])
        if calls == 0:
            return expected
        seen = min(max(1.0, self._seconds[tokens] / self._seconds[1]), float(tokens))
        return (_COST_CALLS * expected + calls * seen) / (_COST_CALLS + calls)


class Drafter:
    """Knows what followed each n-gram of one sequence."""

    def __init__(self, ids: Sequence[int], costs: StepCosts) -> None:
        self._costs = costs
        self._ids: list[int] = []
        self._places: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        self._right = [share * _EXPECTED_WEIGHT for _, share in _EXPECTED]
        self._tried = [_EXPECTED_WEIGHT] * len(_EXPECTED)
        self._guess: tuple[int, int] | None = None
        for token_id in ids:
            self._add(token_id)

    def push(self, token_id: int) -> None:
        """Take the next token of the answer, and see whether a guess about it came true."""
        if self._guess is not None:
            kind, guessed = self._guess
            self._count(kind, token_id == guessed)
        self._add(token_id)
        match = self._match()
        self._guess = None if match is None else (_kind(match[1]), self._ids[match[0]])

    def propose(self, limit: int) -> list[int]:
        """Return up to `limit` ids that may come next; none where trying them does not pay."""
        match = self._match()
        if match is None or limit < 1:
            return []
        begin, length = match
        limit = min(limit, len(self._ids) - begin)
        best, best_gain = 0, _LEAST_GAIN
        expected, chance = 1.0, 1.0
        for count in range(1, limit + 1):
            kind = _kind(length + count - 1)
            chance *= self._right[kind] / self._tried[kind]
            expected += chance
            gain = expected / self._costs.of(count + 1)
            if gain > best_gain:
                best, best_gain = count, gain
        return self._ids[begin : begin + best]

    def _add(self, token_id: int) -> None:
        ids = self._ids
        if len(ids) >= _GRAM_TOKENS:
            places = self._places[tuple(ids[-_GRAM_TOKENS:])]
            places.append(len(ids))
            if len(places) > _PLACES:
                del places[0]
        ids.append(token_id)

    def _match(self) -> tuple[int, int] | None:
        """Return what follows the longest match of the last ids, latest first, and its length."""
        places = self._places.get(tuple(self._ids[-_GRAM_TOKENS:]))
        if not places:
            return None
        return max(
            ((place, self._match_tokens(place)) for place in reversed(places)),
            key=lambda match: match[1],
        )

    def _match_tokens(self, place: int) -> int:
        ids, end, length = self._ids, len(self._ids), _GRAM_TOKENS
        most = min(place, _LONGEST_MATCH_TOKENS)
        while length < most and ids[place - length - 1] == ids[end - length - 1]:
            length += 1
        return length

    def _count(self, kind: int, is_right: bool) -> None:
        self._right[kind] = self._right[kind] * _MEMORY + is_right
        self._tried[kind] = self._tried[kind] * _MEMORY + 1


def _kind(match_tokens: int) -> int:
    return sum(match_tokens >= least for least, _ in _EXPECTED) - 1
