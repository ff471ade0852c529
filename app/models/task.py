"""A piece of work that a person watches and may stop.

Polling for the wish to stop would either burn time or answer late while the work waits for a child
process, so whoever waits registers what ends the waiting, and the wish carries it out at once, on
the thread of the person who asks.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from app.models.progress import FetchProgress
from inference.errors import Cancelled

Stage = Literal["space", "listing", "fetching", "joining", "checking", "converting"]


class Task:
    """One piece of work: `stop` is for any thread, everything else is its own.

    Attributes:
        report: Called with (stage, done_bytes, total_bytes); 0 of 0 is unknown.
        report_files: Called while files come from a hub.
    """

    def __init__(
        self,
        on_progress: Callable[[Stage, int, int], None] = lambda *_: None,
        on_files: Callable[[FetchProgress], None] = lambda _: None,
    ) -> None:
        self.stopped = threading.Event()
        self.report = on_progress
        self.report_files = on_files
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None

    def stop(self) -> None:
        """Ask for the end, which is never taken back; ends what the work is waiting for."""
        with self._lock:
            self.stopped.set()
            if self._end is not None:
                self._end()

    def check(self) -> None:
        """Raise Cancelled when the end was asked for."""
        if self.stopped.is_set():
            raise Cancelled

    @contextmanager
    def waiting(self, end: Callable[[], None]) -> Iterator[None]:
        """Have `end` called when the end is asked for while the block runs, or was before.

        Raises:
            Cancelled: The end was asked for, and the block was left without another error.
        """
        with self._lock:
            self._end = end
            if self.stopped.is_set():
                end()
        try:
            yield
        finally:
            with self._lock:
                self._end = None
        self.check()
