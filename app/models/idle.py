"""Notices that nothing has been asked of the model for a while."""

import threading
from collections.abc import Callable
from typing import Protocol

_S_PER_MIN = 60


class Timer(Protocol):
    """A call that comes later, unless it is called off."""

    def cancel(self) -> None:
        """Call it off; too late is no error."""
        ...


def start_timer(delay_s: float, call: Callable[[], None]) -> Timer:
    """Have `call` made on a thread of its own."""
    timer = threading.Timer(delay_s, call)
    timer.daemon = True
    timer.start()
    return timer


class IdleWatch:
    """Counts work that is under way, and says when there was none for so long.

    May be used from any thread.

    Args:
        limit_min: Minutes without work; 0 says that it does not matter.
        on_idle: Called on the timer's thread, with no lock held; work may have begun meanwhile.
        start: Starts a timer.
    """

    def __init__(
        self,
        limit_min: Callable[[], int],
        on_idle: Callable[[], None],
        start: Callable[[float, Callable[[], None]], Timer] = start_timer,
    ) -> None:
        self._limit_min = limit_min
        self._on_idle = on_idle
        self._start = start
        self._lock = threading.Lock()
        self._work = 0
        self._timer: Timer | None = None

    @property
    def is_busy(self) -> bool:
        """Whether any work is under way."""
        return self._work > 0

    def begin(self) -> None:
        """Note that work begins."""
        with self._lock:
            self._work += 1
            self._call_off()

    def end(self) -> None:
        """Note that some of it has ended."""
        with self._lock:
            self._work -= 1
            self._wait()

    def touch(self) -> None:
        """Start the while anew, where nothing is under way."""
        with self._lock:
            self._call_off()
            self._wait()

    def stop(self) -> None:
        """Wait for nothing until the next work ends."""
        with self._lock:
            self._call_off()

    def _wait(self) -> None:
        limit_min = self._limit_min()
        if not self._work and limit_min:
            self._timer = self._start(limit_min * _S_PER_MIN, self._on_idle)

    def _call_off(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
