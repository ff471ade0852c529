"""A person's wish to stop, for work that waits on a child process.

Polling an event would either burn time or answer late, so whoever waits registers what ends the
waiting, and the wish carries it out at once on the asking thread.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inference.errors import Cancelled


class Stop:
    """Asked for once, from any thread; never taken back."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None

    def request(self) -> None:
        """Ask for the end. Ends what is being waited for and does not wait itself."""
        with self._lock:
            self.event.set()
            if self._end is not None:
                self._end()

    def check(self) -> None:
        """Raise Cancelled when the end was asked for."""
        if self.event.is_set():
            raise Cancelled

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Have `end` called when a stop is asked for while the block runs, or was before.

        Raises:
            Cancelled: A stop was asked for by the time the block was left without an error.
        """
        with self._lock:
            self._end = end
            if self.event.is_set():
                end()
        try:
            yield
        finally:
            with self._lock:
                self._end = None
        self.check()
