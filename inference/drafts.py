"""Drafts by n-grams: where an answer repeats its prompt, what came next there is tried here.

A draft is computed in one call together with the token before it, and each of its tokens is kept
only when the sampler draws the very same from the model's own logits. So the answer is what it
would have been; it only comes in fewer calls. A call with a draft costs up to twice a plain one:
when drafts miss, they stop for the rest of the answer.
"""

from collections.abc import Sequence

GRAM_TOKENS = 4
DRAFT_TOKENS = 4

_FIRST_SCORE = 2.0
_LEAST_SCORE = 1.0
_WEIGHT = 0.3


class Drafter:
    """Knows what followed each n-gram of one sequence."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids: list[int] = []
        self._next: dict[tuple[int, ...], int] = {}
        self._score = _FIRST_SCORE
        for token_id in ids:
            self.push(token_id)

    def push(self, token_id: int) -> None:
        """Take the next id of the sequence."""
        if len(self._ids) >= GRAM_TOKENS:
            self._next[tuple(self._ids[-GRAM_TOKENS:])] = len(self._ids)
        self._ids.append(token_id)

    def propose(self, limit: int) -> list[int]:
        """Return up to `limit` ids that may come next; often none."""
        if self._score < _LEAST_SCORE:
            return []
        begin = self._next.get(tuple(self._ids[-GRAM_TOKENS:]))
        return [] if begin is None else self._ids[begin : begin + min(limit, DRAFT_TOKENS)]

    def judge(self, accepted: int) -> None:
        """Learn how many tokens of the last draft were right."""
        self._score += _WEIGHT * (accepted - self._score)
