"""The requests that the host works on, as the client keeps them: at most one of each urgency."""

from collections.abc import Iterator, Sequence

from inference.hosting import Host
from inference.pending import Pending
from inference.urgency import Urgency


class Running:
    """Which requests run, and which of those that wait may begin beside them."""

    def __init__(self) -> None:
        self._by_urgency: dict[Urgency, Pending] = {}

    def __bool__(self) -> bool:
        return bool(self._by_urgency)

    def __iter__(self) -> Iterator[Pending]:
        return iter(list(self._by_urgency.values()))

    def __contains__(self, pending: Pending) -> bool:
        return self._by_urgency.get(pending.urgency) is pending

    def add(self, pending: Pending) -> None:
        """Count a request as running."""
        self._by_urgency[pending.urgency] = pending

    def remove(self, pending: Pending) -> None:
        """Count it no longer."""
        del self._by_urgency[pending.urgency]

    def find(self, host: Host, request_id: int) -> Pending | None:
        """Return the request of `host` with this id, or None where it has ended."""
        for pending in self:
            if pending.host is host and pending.command.request_id == request_id:
                return pending
        return None

    def on(self, host: Host) -> list[Pending]:
        """Return what runs on `host`."""
        return [pending for pending in self if pending.host is host]

    def choose(self, waiting: Sequence[Pending]) -> Pending | None:
        """Return the first of `waiting` that may begin, or None.

        A load and a bare run have the host for themselves: they wait for what runs, and what came
        after them waits for them. Two requests never share a session at the same time, since its
        cache is one sequence: the later one waits, except that it ends a computing ahead.
        """
        for pending in waiting:
            if pending.is_exclusive:
                return None if self else pending
            if self._may_begin(pending):
                return pending
        return None

    def in_the_way(self, waiting: Sequence[Pending]) -> Pending | None:
        """Return a computing ahead that what waits should end, or None."""
        ahead = self._by_urgency.get(Urgency.AHEAD)
        if ahead is None or ahead.is_replaced or not ahead.is_sent:
            return None
        ends_it = any(each.is_exclusive or each.urgency is Urgency.AHEAD for each in waiting)
        return ahead if ends_it else None

    def _may_begin(self, pending: Pending) -> bool:
        if pending.urgency in self._by_urgency:
            return False
        for other in self:
            if other.is_exclusive:
                return False
            if other.urgency is not Urgency.AHEAD and other.shares_session(pending):
                return False
        return True
