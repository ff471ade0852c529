"""Requests that wait or run, as the client keeps them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from inference.errors import Cancelled
from inference.hosting import Host
from inference.types import (
    BareRun,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    LoadModel,
    Prefill,
)

Sink: TypeAlias = Callable[[Event], None]


@dataclass(slots=True, eq=False)
class Pending:
    """A request with where its events go.

    Attributes:
        host: Where it runs.
        waiting: The request that this load is made for, when nobody asked for the load itself.
        is_sent: Whether the host has it; if not, it may still go to another one.
        is_cancelled: Whether a person stopped it while it ran.
        limit: Ends the host unless it answers the Cancel in time.
    """

    command: LoadModel | GenerationRequest | Prefill | BareRun
    sink: Sink
    host: Host | None = None
    waiting: "Pending | None" = None
    is_sent: bool = False
    is_cancelled: bool = False
    limit: threading.Timer | None = None

    @classmethod
    def reload(cls, command: LoadModel, request_id: int, *, waiting: "Pending") -> "Pending":
        """Return the same load once more, for a request that found no model in a new host."""
        return cls(replace(command, request_id=request_id), lambda _event: None, waiting=waiting)

    @property
    def needs_model(self) -> bool:
        """Whether a model must be loaded first."""
        return not isinstance(self.command, LoadModel)

    def cancelled(self) -> Event:
        """Return the last event of a request that was stopped without the host."""
        request_id = self.command.request_id
        if isinstance(self.command, GenerationRequest):
            return Finished(request_id, "cancelled", 0, 0, 0, 0.0, 0.0, 0.0, 0)
        return Failed(request_id, Cancelled.code)


class Queue:
    """What waits: interactive before batch, each in its order."""

    def __init__(self) -> None:
        self._interactive: list[Pending] = []
        self._batch: list[Pending] = []

    def put(self, pending: Pending) -> None:
        """Add a request at the end of its lane."""
        self._lane(pending).append(pending)

    def put_back(self, pending: Pending) -> None:
        """Add a request that was taken too early, so that it is the next of its lane."""
        self._lane(pending).insert(0, pending)

    def first(self) -> Pending | None:
        """Return the request whose turn it is, without taking it."""
        return next(iter([*self._interactive, *self._batch]), None)

    def remove(self, pending: Pending) -> bool:
        """Take a request out; return whether it was still waiting."""
        lane = self._lane(pending)
        if pending not in lane:
            return False
        lane.remove(pending)
        return True

    def take_all(self) -> list[Pending]:
        """Take everything out."""
        taken = [*self._interactive, *self._batch]
        self._interactive.clear()
        self._batch.clear()
        return taken

    def _lane(self, pending: Pending) -> list[Pending]:
        command = pending.command
        is_batch = isinstance(command, GenerationRequest) and command.lane == "batch"
        return self._batch if is_batch else self._interactive
