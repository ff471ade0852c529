"""A conversation's KV cache: what a turn has in common with the last one is not computed again."""

from collections import OrderedDict
from collections.abc import Sequence

from inference.engine.protocol import Cache, Engine, Logits
from inference.errors import ContextOverflow

_LEAST_CAPACITY_TOKENS = 1024


class Session:
    """One sequence of ids that the model has computed, and what texts of it were spelled.

    Attributes:
        ids: Exactly what the cache holds.
        spelled: Texts of the conversation and the ids they had, so that an answer comes back as it
            was drawn and not as the tokenizer would spell it, which would miss the cache.
    """

    def __init__(self, engine: Engine, *, context_tokens: int) -> None:
        self._engine = engine
        self._context_tokens = context_tokens
        self._cache: Cache | None = None
        self.ids: list[int] = []
        self.spelled: dict[str, list[int]] = {}

    @property
    def capacity_tokens(self) -> int:
        """How many tokens the cache has memory for."""
        return 0 if self._cache is None else self._cache.capacity_tokens

    def begin(self, prompt: Sequence[int], max_new_tokens: int) -> int:
        """Make room for `prompt` and an answer, and return how many of its ids are computed.

        At least one is left to compute, because logits belong to what was appended last.

        Raises:
            ContextOverflow: The prompt leaves no room for an answer.
            OutOfMemory: The cache does not fit.
        """
        if len(prompt) >= self._context_tokens:
            raise ContextOverflow(needed_tokens=len(prompt) + 1, limit_tokens=self._context_tokens)
        needed = min(len(prompt) + max_new_tokens, self._context_tokens)
        if self._cache is None or self._cache.capacity_tokens < needed:
            self.forget()
            self._cache = self._engine.new_cache(_capacity(needed, self._context_tokens))
        kept = min(_common_length(self.ids, prompt), len(prompt) - 1)
        self.rewind(kept)
        return kept

    def append(self, ids: Sequence[int]) -> bool:
        """Compute `ids` behind what is there; False, and nothing added, when interrupted."""
        assert self._cache is not None  # noqa: S101 - begin() comes first
        if not self._cache.append(ids):
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
        assert self._cache is not None  # noqa: S101 - append() came first
        return self._cache.logits(positions)

    def forget(self) -> None:
        """Give the cache's memory back."""
        self._cache = None
        self.ids.clear()


class Sessions:
    """The most recent sessions within a budget of memory.

    Args:
        budget_bytes: For all caches together; the session in use is kept even when it is larger.
        token_bytes: What one token of a cache takes.
    """

    def __init__(
        self, engine: Engine, *, context_tokens: int, budget_bytes: int, token_bytes: int
    ) -> None:
        self._engine = engine
        self._context_tokens = context_tokens
        self._budget_bytes = budget_bytes
        self._token_bytes = token_bytes
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def get(self, session_id: str) -> Session:
        """Return a session, new where it is not known, and count it as used now."""
        session = self._sessions.get(session_id)
        if session is None:
            session = Session(self._engine, context_tokens=self._context_tokens)
            self._sessions[session_id] = session
        self._sessions.move_to_end(session_id)
        return session

    def drop(self, session_id: str) -> None:
        """Forget a session."""
        if session := self._sessions.pop(session_id, None):
            session.forget()

    def make_room(self) -> None:
        """Drop the sessions used longest ago until the rest fits the budget."""
        while len(self._sessions) > 1 and self.used_bytes > self._budget_bytes:
            self.drop(next(iter(self._sessions)))

    @property
    def used_bytes(self) -> int:
        """What all caches take."""
        tokens = sum(session.capacity_tokens for session in self._sessions.values())
        return tokens * self._token_bytes


def _common_length(left: Sequence[int], right: Sequence[int]) -> int:
    for index, (mine, theirs) in enumerate(zip(left, right, strict=False)):
        if mine != theirs:
            return index
    return min(len(left), len(right))


def _capacity(needed: int, most: int) -> int:
    """Round up to a power of two: growing means computing everything again, so it must be rare."""
    return min(max(_LEAST_CAPACITY_TOKENS, 1 << (needed - 1).bit_length()), most)
