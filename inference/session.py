"""A conversation's KV cache: what a turn has in common with the last one is not computed again.

A cache has memory for a fixed number of tokens, taken at once, and a larger one means computing
everything again. So that nobody waits for this, a larger cache is made and filled in idle time
beside the one in use. Where a session fills up before that is done, it grows by steps in the middle
of the answer; what it held until then is not lost, only computed once more.
"""

from collections.abc import Sequence
from typing import Protocol

from inference.engine.protocol import Cache, Engine, Logits
from inference.errors import ContextOverflow, OutOfMemory
from inference.pace import Pace

QUESTION_TOKENS = 256

_LEAST_CAPACITY_TOKENS = 1024
# As much as is computed in a moment: less than this is no reason to wait with a larger cache.
_CHEAP_TOKENS = 64
# With room for so much of an answer it begins at once, and the cache grows under it if it must.
_BEGINNING_TOKENS = 64


class Room(Protocol):
    """Who says whether there is memory for another cache."""

    def take(self, tokens: int, *, session: "Session", is_urgent: bool) -> bool:
        """Make room for a cache of `tokens` beside what the session has; say if there is."""
        ...

    def empty(self, *, session: "Session") -> None:
        """Give back what other sessions hold, because the machine has no more memory."""
        ...


class Session:
    """One sequence of ids that the model has computed, and what texts of it were spelled.

    Attributes:
        ids: The ids of the sequence.
        spelled: Texts of the conversation and the ids they had, so that an answer comes back as it
            was drawn and not as the tokenizer would spell it, which would miss the cache.
    """

    def __init__(self, engine: Engine, *, context_tokens: int, room: Room, pace: Pace) -> None:
        self._engine = engine
        self._context_tokens = context_tokens
        self._room = room
        self._pace = pace
        self._cache: Cache | None = None
        self._larger: _Larger | None = None
        self._answer_tokens = 0
        self.ids: list[int] = []
        self.spelled: dict[str, list[int]] = {}

    @property
    def capacity_tokens(self) -> int:
        """How many tokens it may come to hold; its cache grows as it needs."""
        return self._context_tokens

    @property
    def cache_tokens(self) -> int:
        """How many tokens the cache in use has memory for."""
        return 0 if self._cache is None else self._cache.capacity_tokens

    @property
    def memory_tokens(self) -> int:
        """How many tokens it takes memory for, the cache that is being filled included."""
        return self.cache_tokens + (0 if self._larger is None else self._larger.cache_tokens)

    def begin(self, prompt: Sequence[int], max_new_tokens: int, *, question_tokens: int = 0) -> int:
        """Make room for `prompt` and an answer, and return how many of its ids are computed.

        At least one is left to compute, because logits belong to what was appended last.

        Args:
            prompt: What is computed next.
            max_new_tokens: Length of the answer behind it.
            question_tokens: What a person may still add to the prompt.

        Raises:
            ContextOverflow: The prompt leaves no room for an answer.
            OutOfMemory: The cache does not fit.
        """
        if len(prompt) >= self._context_tokens:
            raise ContextOverflow(needed_tokens=len(prompt) + 1, limit_tokens=self._context_tokens)
        self._answer_tokens = max_new_tokens
        needed = len(prompt) + question_tokens + max_new_tokens
        self._choose_cache(prompt, min(needed, self._context_tokens))
        kept = min(common_length(self.ids, prompt), len(prompt) - 1)
        self.rewind(kept)
        return kept

    def append(self, ids: Sequence[int]) -> bool:
        """Compute `ids` behind what is there.

        Returns:
            False where nothing was added, and the same call does the rest: it was interrupted, or
            the cache is growing.

        Raises:
            OutOfMemory: The cache does not fit.
        """
        needed = len(self.ids) + len(ids)
        if needed > self.cache_tokens and not self._grow_under_an_answer(needed):
            return False
        if not self._in_use().append(ids):
            return False
        self.ids.extend(ids)
        return True

    def rewind(self, length: int) -> None:
        """Forget what is after the first `length` ids."""
        if self._cache is not None:
            self._cache.rewind(length)
        del self.ids[length:]

    def logits(self, positions: int = 1) -> Logits:
        """Return float32[positions, vocabulary] of the last ids appended."""
        return self._in_use().logits(positions)

    def grow(self) -> bool:
        """Do a piece of growing in idle time; return whether more is to do.

        It ends, too, where both caches together would not fit.
        """
        if self._cache is None or not self.ids:
            return False
        wanted = len(self.ids) + self._answer_tokens + QUESTION_TOKENS
        wanted = min(wanted, self._context_tokens)
        if wanted <= self.cache_tokens:
            self._larger = None
            return False
        if self._larger is None or self._larger.cache_tokens < wanted:
            self._larger = None
            capacity = _capacity(wanted, self._context_tokens)
            if not self._room.take(capacity, session=self, is_urgent=False):
                return False
            self._larger = _Larger(self._engine.new_cache(capacity))
        if self._larger.fill(self.ids, self._pace):
            self._take_larger()
        return self._larger is not None

    def stop_growing(self) -> None:
        """Give up the larger cache, if one is being filled."""
        self._larger = None

    def forget(self) -> None:
        """Give the memory of the caches back."""
        self._cache = self._larger = None
        self.ids.clear()

    def _choose_cache(self, prompt: Sequence[int], needed: int) -> None:
        """See that a cache is in use that can hold the prompt and some of the answer."""
        if self.cache_tokens >= needed:
            return
        least = min(len(prompt) + _BEGINNING_TOKENS, needed)
        kept = common_length(self.ids, prompt)
        larger = self._larger
        if larger is not None and larger.cache_tokens >= least:
            is_filled = common_length(larger.ids, prompt) + _CHEAP_TOKENS > kept
            if is_filled or self.cache_tokens < least:
                self.ids = larger.ids[:]
                self._take_larger()
                return
        if self.cache_tokens >= least and kept > _CHEAP_TOKENS:
            return
        self.forget()
        self._cache = self._new_cache(_capacity(needed, self._context_tokens))

    def _grow_under_an_answer(self, needed: int) -> bool:
        """Do a piece of growing that cannot wait; return whether it is done."""
        if needed > self._context_tokens:
            raise ContextOverflow(needed_tokens=needed, limit_tokens=self._context_tokens)
        if self._larger is None or self._larger.cache_tokens < needed:
            self._larger = None
            wanted = min(needed + self._answer_tokens, self._context_tokens)
            capacity = _capacity(wanted, self._context_tokens)
            if not self._room.take(capacity, session=self, is_urgent=True):
                self._cache = None  # both do not fit, and this one is full
            self._larger = _Larger(self._new_cache(capacity))
        if self._larger.fill(self.ids, self._pace):
            self._take_larger()
            return True
        return False

    def _new_cache(self, capacity: int) -> Cache:
        self._room.take(capacity, session=self, is_urgent=True)
        try:
            return self._engine.new_cache(capacity)
        except OutOfMemory:
            self._room.empty(session=self)
            return self._engine.new_cache(capacity)

    def _take_larger(self) -> None:
        assert self._larger is not None  # noqa: S101 - it has just been filled
        self._cache = self._larger.cache
        self._larger = None

    def _in_use(self) -> Cache:
        assert self._cache is not None  # noqa: S101 - begin() comes first
        return self._cache


class _Larger:
    """A cache that takes the place of a smaller one as soon as it holds the same."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.ids: list[int] = []

    @property
    def cache_tokens(self) -> int:
        return self.cache.capacity_tokens

    def fill(self, ids: Sequence[int], pace: Pace) -> bool:
        """Compute a chunk of what is missing of `ids`; return whether nothing is."""
        kept = common_length(self.ids, ids)
        if kept < len(self.ids):
            self.cache.rewind(kept)
            del self.ids[kept:]
        if kept < len(ids):
            chunk = ids[kept : kept + pace.next_tokens(len(ids) - kept)]
            if self.cache.append(chunk):
                self.ids.extend(chunk)
        return len(self.ids) == len(ids)


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many ids both begin with."""
    for index, (mine, theirs) in enumerate(zip(left, right, strict=False)):
        if mine != theirs:
            return index
    return min(len(left), len(right))


def _capacity(needed: int, most: int) -> int:
    """Round up to a power of two: growing means computing everything again, so it must be rare."""
    return min(max(_LEAST_CAPACITY_TOKENS, 1 << (needed - 1).bit_length()), most)
