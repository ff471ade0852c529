"""How a request ends that was stopped before anything of it was done."""

from inference.errors import Cancelled
from inference.types import Failed, Finished, GenerationRequest, LastEvent, Prefill, Prefilled
from inference.urgency import Request


def cancelled(command: Request) -> LastEvent:
    """Return the last event of such a request."""
    if isinstance(command, GenerationRequest):
        return Finished(command.request_id, "cancelled", 0, 0, 0, 0.0, 0.0, 0.0, 0)
    if isinstance(command, Prefill):
        return Prefilled(command.request_id, 0, 0)
    return Failed(command.request_id, Cancelled.code)
