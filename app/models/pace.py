"""How fast bytes come, and how long the rest will take."""

import time
from collections import deque
from collections.abc import Callable

_WINDOW_S = 6.0
_SETTLED_S = 1.0


class Pace:
    """Speed over the last seconds; used by one thread.

    Args:
        now_s: A clock that never goes back.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._points: deque[tuple[float, int]] = deque()

    def note(self, done_bytes: int) -> None:
        """Take what has come so far; less than before means that it began anew."""
        now_s = self._now_s()
        if self._points and done_bytes < self._points[-1][1]:
            self._points.clear()
        self._points.append((now_s, done_bytes))
        while now_s - self._points[0][0] > _WINDOW_S and len(self._points) > 2:  # noqa: PLR2004 - a speed needs two
            self._points.popleft()

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second, 0 until there is something to measure."""
        if not self._points:
            return 0.0
        (first_s, first), (last_s, last) = self._points[0], self._points[-1]
        passed_s = last_s - first_s
        return (last - first) / passed_s if passed_s >= _SETTLED_S else 0.0

    def seconds_left(self, left_bytes: int) -> float | None:
        """Return how long the rest takes at this speed, or None where that is not known."""
        speed = self.bytes_per_s
        return left_bytes / speed if speed > 0 else None
