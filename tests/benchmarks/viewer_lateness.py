"""Runs the whole window on a long PDF and measures its event loop; run from the checkout.

A document of 600 pages, or the PDF that is named, is dropped, read, opened and scrolled through
from its first page to its last; a timer that should fire every 4 ms tells how late it comes::

    python tests/benchmarks/viewer_lateness.py [FILE.pdf]
"""

import functools
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app import main as composition
from app import paths
from tests.pdf_maker import write_pdf
from ui import application
from ui.main_window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Callable

TICK_MS = 4
PAGES = 600
IDLE_S = 2.0
SCROLL_S = 20.0
LINE = "The old harbor town slept under a thin gray fog, and nobody counted the costs of {}."


class Meter(QObject):
    """Drives the window through its phases and keeps how late each tick came.

    Attributes:
        late_ms: Phase to the lateness of each tick.
        took_s: Phase to how long it took.
    """

    def __init__(self, window: MainWindow, file: Path) -> None:
        super().__init__(window)
        self.late_ms: dict[str, list[float]] = {}
        self.took_s: dict[str, float] = {}
        self.drawn: set[int] = set()
        self._window = window
        self._file = file
        self._phase = "start"
        self._last_s = self._since_s = time.perf_counter()
        self._phases: dict[str, Callable[[float], str]] = {
            "start": self._start,
            "idle": self._idle,
            "read": self._read,
            "open": self._open,
            "scroll": self._scroll,
        }
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

    def _start(self, for_s: float) -> str:
        return "idle" if for_s > IDLE_S else "start"

    def _idle(self, for_s: float) -> str:
        if for_s < IDLE_S:
            return "idle"
        self._window._pages.show_chat()
        self._window._page.attach([self._file])
        return "read"

    def _read(self, for_s: float) -> str:
        ready = self._window._page.composer.documents.attachments
        if not ready:
            return "read"
        self._window._documents.documents.open(ready[0].document_id)
        return "open"

    def _open(self, for_s: float) -> str:
        return "scroll" if self._window._documents.panel.viewer.pages.drawn_pages() else "open"

    def _scroll(self, for_s: float) -> str:
        pages = self._window._documents.panel.viewer.pages
        bar = pages.verticalScrollBar()
        self.drawn |= pages.drawn_pages()
        bar.setValue(round(bar.maximum() * min(1.0, for_s / SCROLL_S)))
        return "scroll" if for_s < SCROLL_S + 1 else ""


def line_of(values_ms: list[float]) -> str:
    """Return median, 99th percentile and worst of a list."""
    ordered = sorted(values_ms)
    median_ms, p99_ms = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"median {median_ms:.2f} ms, p99 {p99_ms:.1f} ms, worst {ordered[-1]:.1f} ms"


def main() -> int:
    """Open the window, measure, close it and print."""
    meters: list[Meter] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder, "long.pdf")
        if not file.exists():
            page = [LINE.format(number) for number in range(40)]
            write_pdf(file, [page] * PAGES)
        secret = Path(folder, "passphrase")
        secret.write_text("a few words for a benchmark")
        os.environ.setdefault("SNUG_PASSPHRASE_FILE", str(secret))
        os.environ.setdefault(paths.DATA_DIR_VARIABLE, str(Path(folder, "data")))

        def painted() -> None:
            found = QApplication.topLevelWidgets()
            (window,) = (one for one in found if isinstance(one, MainWindow))
            meters.append(Meter(window, file))

        application.run = functools.partial(application.run, on_painted=painted)
        status = composition.run(paths.resolve())
    for phase, late_ms in meters[0].late_ms.items():
        took_s = meters[0].took_s[phase]
        sys.stdout.write(f"{phase}: {took_s:.2f} s; late {line_of(late_ms)}\n")
    sys.stdout.write(f"{len(meters[0].drawn)} pages were drawn while scrolling\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
