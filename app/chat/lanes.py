"""The turns under way: in one conversation one after the other, in the order they were asked."""

import threading
from collections import defaultdict

from app.chat.turn import Turn


class Lanes:
    """A queue of turns for each conversation; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lanes: defaultdict[str, list[Turn]] = defaultdict(list)

    def add(self, turn: Turn) -> None:
        """Put a turn at the end of its conversation's queue."""
        with self._lock:
            self._lanes[turn.conversation_id].append(turn)

    def add_if_free(self, turn: Turn) -> Turn:
        """Put a turn into an empty queue and return it, or return the last one that is there."""
        with self._lock:
            lane = self._lanes[turn.conversation_id]
            if not lane:
                lane.append(turn)
            return lane[-1]

    def remove(self, turn: Turn) -> None:
        """Take out a turn that has ended."""
        with self._lock:
            lane = self._lanes[turn.conversation_id]
            lane.remove(turn)
            if not lane:
                del self._lanes[turn.conversation_id]

    def head(self, conversation_id: str) -> Turn | None:
        """Return the turn whose time it is, or None."""
        with self._lock:
            lane = self._lanes.get(conversation_id)
            return lane[0] if lane else None

    def of(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns of one conversation, the running one first."""
        with self._lock:
            return tuple(self._lanes.get(conversation_id, ()))

    def all(self) -> tuple[Turn, ...]:
        """Return every turn that has not ended."""
        with self._lock:
            return tuple(turn for lane in self._lanes.values() for turn in lane)
