"""Requests that have not begun, whose end need not wait until they have.

Building a long prompt and taking the memory of a cache are calls that nothing interrupts, and take
a good part of a second on a busy machine. Nobody has seen anything of such a request yet, so the
thread that reads its Cancel can say that it is over.
"""

import threading

from inference.errors import Cancelled
from inference.types import (
    Command,
    Failed,
    Finished,
    GenerationRequest,
    LastEvent,
    Prefill,
    Prefilled,
    Stepwise,
)
from inference.urgency import Request


class Unbegun:
    """Decides which thread a request belongs to: whoever takes it runs it, or says how it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[int, Stepwise] = {}

    def add(self, command: Command) -> None:
        """Add a request that has just come; others begin when they can and are not kept."""
        if isinstance(command, Stepwise):
            with self._lock:
                self._requests[command.request_id] = command

    def __contains__(self, request_id: int) -> bool:
        with self._lock:
            return request_id in self._requests

    def take(self, request_id: int) -> Stepwise | None:
        """Return the request with this id, or None where another thread has taken it."""
        with self._lock:
            return self._requests.pop(request_id, None)


def cancelled(command: Request) -> LastEvent:
    """Return the last event of a request that was stopped before anything of it was done."""
    if isinstance(command, GenerationRequest):
        return Finished(command.request_id, "cancelled", 0, 0, 0, 0.0, 0.0, 0.0, 0)
    if isinstance(command, Prefill):
        return Prefilled(command.request_id, 0, 0)
    return Failed(command.request_id, Cancelled.code)
