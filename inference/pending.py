"""Requests that wait, as the client keeps them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from inference import unbegun
from inference.hosting import Host
from inference.types import Event, LoadModel
from inference.urgency import Request, Urgency, is_exclusive, session_of, urgency

Sink: TypeAlias = Callable[[Event], None]


@dataclass(slots=True, eq=False)
class Pending:
    """A request with where its events go.

    Attributes:
        host: Where it runs.
        waiting: The request that this load is made for, when nobody asked for the load itself.
        is_sent: Whether the host has it; if not, it may still go to another one.
        is_cancelled: Whether a person stopped it while it ran.
        cancelled_ticks: How often the watchdog has looked since then.
        is_replaced: Whether the host was asked to end it because a newer one waits.
        has_text: Whether some of its answer was handed on.
        may_return: Whether it waits again when its host dies before it has any text.
    """

    command: Request
    sink: Sink
    host: Host | None = None
    waiting: "Pending | None" = None
    is_sent: bool = False
    is_cancelled: bool = False
    cancelled_ticks: int = 0
    is_replaced: bool = False
    has_text: bool = False
    may_return: bool = False

    @classmethod
    def reload(cls, command: LoadModel, request_id: int, *, waiting: "Pending") -> "Pending":
        """Return the same load once more, for a request that found no model in a new host."""
        return cls(replace(command, request_id=request_id), lambda _event: None, waiting=waiting)

    @property
    def needs_model(self) -> bool:
        """Whether a model must be loaded first."""
        return not isinstance(self.command, LoadModel)

    @property
    def urgency(self) -> Urgency:
        """When its turn is."""
        return urgency(self.command)

    @property
    def is_exclusive(self) -> bool:
        """Whether nothing else may run at the same time."""
        return is_exclusive(self.command)

    def shares_session(self, other: "Pending") -> bool:
        """Say whether both use the same cache."""
        session_id = session_of(self.command)
        return session_id is not None and session_id == session_of(other.command)

    def cancelled(self) -> Event:
        """Return the last event of a request that was stopped without the host."""
        return unbegun.cancelled(self.command)


class Queue:
    """What waits: the most urgent first, each urgency in its order."""

    def __init__(self) -> None:
        self._waiting: list[Pending] = []

    def put(self, pending: Pending) -> list[Pending]:
        """Add a request at the end of its urgency; return those whose place it takes.

        Of what could be computed ahead only the newest is worth anything.
        """
        replaced = []
        if pending.urgency is Urgency.AHEAD:
            replaced = [each for each in self._waiting if each.urgency is Urgency.AHEAD]
            self._waiting = [each for each in self._waiting if each not in replaced]
        self._waiting.append(pending)
        return replaced

    def put_back(self, pending: Pending) -> None:
        """Add a request that was taken too early, so that it is the next of its urgency."""
        self._waiting.insert(0, pending)

    def in_order(self) -> list[Pending]:
        """Return what waits, without taking it."""
        return sorted(self._waiting, key=lambda pending: pending.urgency)

    def remove(self, pending: Pending) -> bool:
        """Take a request out; return whether it was still waiting."""
        if pending not in self._waiting:
            return False
        self._waiting.remove(pending)
        return True

    def take_all(self) -> list[Pending]:
        """Take everything out."""
        taken = self.in_order()
        self._waiting.clear()
        return taken
