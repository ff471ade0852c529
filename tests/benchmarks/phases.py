"""Drives a window through phases and keeps how late each tick of its event loop came."""

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

TICK_MS = 4


class PhaseMeter(QObject):
    """A timer that should fire every 4 ms; after the last phase all windows are closed.

    Args:
        parent: The window.
        phases: By name, in no order: given how long it has lasted, each returns the phase to be in,
            its own name to stay, an empty one to end.
        first: The phase to begin with.

    Attributes:
        late_ms: Phase to the lateness of each tick.
        took_s: Phase to how long it took.
    """

    def __init__(
        self, parent: QObject, phases: Mapping[str, Callable[[float], str]], first: str
    ) -> None:
        super().__init__(parent)
        self.late_ms: dict[str, list[float]] = {}
        self.took_s: dict[str, float] = {}
        self._phases = phases
        self._phase = first
        self._last_s = self._since_s = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def _tick(self) -> None:
        now_s = time.perf_counter()
        late_ms = (now_s - self._last_s) * 1000 - TICK_MS
        self.late_ms.setdefault(self._phase, []).append(late_ms)
        phase = self._phases[self._phase](now_s - self._since_s)
        if phase != self._phase:
            self.took_s[self._phase] = now_s - self._since_s
            self._phase, self._since_s = phase, now_s
        self._last_s = now_s
        if phase == "":
            self._timer.stop()
            QApplication.closeAllWindows()


def line_of(values_ms: list[float]) -> str:
    """Return median, 99th percentile and worst of a list."""
    ordered = sorted(values_ms)
    median_ms, p99_ms = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"median {median_ms:.2f} ms, p99 {p99_ms:.1f} ms, worst {ordered[-1]:.1f} ms"
