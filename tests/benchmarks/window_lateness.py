"""Runs the whole window and measures its event loop; started by `window.py`.

A prompt is put into the composer and sent with a key. Until the first word the model reads it, then
its answer streams; a timer that should fire every 4 ms tells how late the event loop was.
"""

import functools
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import main as composition
from app import paths
from ui import application
from ui.main_window import MainWindow

TICK_MS = 4
IDLE_S = 2.0
PROMPT = "Retell this as a long story. " + "The old harbor town slept under a thin gray fog. " * 175


class Meter(QObject):
    """Drives the window through its phases and keeps how late each tick came.

    Attributes:
        late_ms: Phase to the lateness of each tick.
        used_ms: Phase to the processor time of this thread before each tick.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.late_ms: dict[str, list[float]] = {"idle": [], "reading": [], "writing": []}
        self.used_ms: dict[str, list[float]] = {phase: [] for phase in self.late_ms}
        self._window = window
        self._phase = ""
        self._last_s = self._ready_s = self._used_s = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def _tick(self) -> None:
        now_s = time.perf_counter()
        if self._phase and self._last_s:
            self.late_ms[self._phase].append((now_s - self._last_s) * 1000 - TICK_MS)
            self.used_ms[self._phase].append((time.thread_time() - self._used_s) * 1000)
        self._last_s, self._used_s = now_s, time.thread_time()
        self._phase = self._next_phase(now_s)

    def _next_phase(self, now_s: float) -> str:
        page = self._window._page
        if self._phase == "":
            is_ready = self._window._models._runner.view().phase == "ready"
            self._ready_s = now_s
            return "idle" if is_ready else ""
        if self._phase == "idle":
            if now_s - self._ready_s < IDLE_S:
                return "idle"
            page.composer.set_text(PROMPT)
            focus = QApplication.focusWidget()
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Return)
            self._last_s = 0.0
            return "reading"
        if not page._turns.are_running:
            if self.late_ms["writing"]:
                QApplication.closeAllWindows()
            return self._phase
        answer = page.model.last()
        return "writing" if answer is not None and answer.text else "reading"


def _line(values_ms: list[float]) -> str:
    ordered = sorted(values_ms)
    median_ms, p99_ms = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"median {median_ms:.2f} ms, p99 {p99_ms:.1f} ms, worst {ordered[-1]:.1f} ms"


def main() -> int:
    """Open the window, measure, close it and print."""
    meters: list[Meter] = []

    def painted() -> None:
        (window,) = (one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
        meters.append(Meter(window))

    application.run = functools.partial(application.run, on_painted=painted)
    status = composition.run(paths.resolve())
    for phase, late in meters[0].late_ms.items():
        sys.stdout.write(
            f"{phase}: late {_line(late)}; own work {_line(meters[0].used_ms[phase])}\n"
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
