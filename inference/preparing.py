"""The request that is about to begin, whose end need not wait until it has.

Building a long prompt and taking the memory of a cache are calls that nothing interrupts, and take
a good part of a second on a busy machine. Nobody has seen anything of the request yet, so the
reader's thread can say that it is over.
"""

import threading

from inference.types import GenerationRequest, Prefill


class Preparing:
    """Decides which thread ends a request: exactly one of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._command: GenerationRequest | Prefill | None = None

    def begin(self, command: GenerationRequest | Prefill) -> None:
        """From now on it is prepared; the worker's thread."""
        with self._lock:
            self._command = command

    def end(self) -> bool:
        """It is prepared, or failed to be; return whether it still runs. The worker's thread."""
        with self._lock:
            is_running = self._command is not None
            self._command = None
        return is_running

    def take(self, request_id: int) -> GenerationRequest | Prefill | None:
        """Return the request with this id for its end, if it is being prepared; the reader's."""
        with self._lock:
            command = self._command
            if command is None or command.request_id != request_id:
                return None
            self._command = None
        return command
