"""The sessions that have a cache, within a budget of memory."""

from collections import OrderedDict
from collections.abc import Iterable

from inference import memory
from inference.engine.protocol import Engine
from inference.errors import InferenceError
from inference.pace import Pace
from inference.session import Session


class Sessions:
    """The most recent sessions; those used longest ago leave first.

    Args:
        context_tokens: How long a session may become.
        budget_bytes: For all caches together. A session at work keeps its cache even when that is
            larger.
        token_bytes: What one token of a cache takes.
        pace: Sizes the pieces of growing.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        context_tokens: int,
        budget_bytes: int,
        token_bytes: int,
        pace: Pace,
    ) -> None:
        self._engine = engine
        self._context_tokens = context_tokens
        self._token_bytes = token_bytes
        self._pace = pace
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._working: set[str] = set()
        self._latest: Session | None = None
        self.budget_bytes = budget_bytes

    @property
    def used_bytes(self) -> int:
        """What all caches take."""
        return self._bytes(self._sessions.values())

    def get(self, session_id: str) -> Session:
        """Return a session, new where it is not known, and count it as used now."""
        session = self._sessions.get(session_id)
        if session is None:
            session = Session(
                self._engine, context_tokens=self._context_tokens, room=self, pace=self._pace
            )
            self._sessions[session_id] = session
        self._sessions.move_to_end(session_id)
        return session

    def hold(self, session_id: str) -> None:
        """Keep a session, whatever the others need, until `release`: a job works on it."""
        self._working.add(session_id)

    def release(self, session_id: str, *, goes_on: bool = False) -> None:
        """Let a session leave again when it must.

        Args:
            session_id: One that was held.
            goes_on: A person may go on in it: it is the one that grows in idle time.
        """
        self._working.discard(session_id)
        if goes_on:
            self._latest = self._sessions.get(session_id)

    def grow(self) -> bool:
        """Do a piece of growing in idle time; return whether there was anything to do."""
        if self._latest is None:
            return False
        try:
            is_growing = self._latest.grow()
        except InferenceError:  # the smaller cache is as good as it was
            self._latest.stop_growing()
            is_growing = False
        if not is_growing:
            self._latest = None
            memory.give_back()
        return True

    def drop(self, session_id: str) -> None:
        """Forget a session."""
        if session := self._sessions.pop(session_id, None):
            if session is self._latest:
                self._latest = None
            session.forget()
            memory.give_back()

    def clear(self) -> None:
        """Forget all sessions."""
        for session_id in list(self._sessions):
            self.drop(session_id)

    def make_room(self) -> None:
        """Drop the sessions used longest ago until the rest fits the budget."""
        self._drop_until(self.budget_bytes, keep=next(reversed(self._sessions.values()), None))

    def take(self, tokens: int, *, session: Session, is_urgent: bool) -> bool:
        """Make room for one more cache; see `inference.session.Room`."""
        limit = self.budget_bytes - tokens * self._token_bytes
        stays = [
            each
            for session_id, each in self._sessions.items()
            if session_id in self._working or each is session
        ]
        if not is_urgent and self._bytes(stays) > limit:
            return False
        return self._drop_until(limit, keep=session)

    def empty(self, *, session: Session) -> None:
        """Drop every session that does not work; see `inference.session.Room`."""
        self._drop_until(0, keep=session)

    def _drop_until(self, limit_bytes: int, *, keep: Session | None) -> bool:
        for session_id, session in list(self._sessions.items()):
            if self.used_bytes <= limit_bytes:
                break
            if session is not keep and session_id not in self._working:
                self.drop(session_id)
        return self.used_bytes <= limit_bytes

    def _bytes(self, sessions: Iterable[Session]) -> int:
        return sum(session.memory_tokens for session in sessions) * self._token_bytes
