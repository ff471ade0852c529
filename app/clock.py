"""The computer's own clock."""

import time


class SystemClock:
    """Time as the operating system tells it."""

    def now_s(self) -> float:
        """Return seconds since 1970, UTC."""
        return time.time()
