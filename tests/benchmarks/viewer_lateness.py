"""Runs the whole window on a long PDF and measures its event loop; run from the checkout.

A document of 600 pages, or the PDF that is named, is dropped, read, opened and scrolled through
from its first page to its last; a timer that should fire every 4 ms tells how late it comes::

    python tests/benchmarks/viewer_lateness.py [FILE.pdf]
"""

import functools
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtWidgets import QApplication

from app import main as composition
from app import paths
from tests.benchmarks.phases import PhaseMeter, line_of
from tests.pdf_maker import write_pdf
from ui import application
from ui.main_window import MainWindow

PAGES = 600
IDLE_S = 2.0
SCROLL_S = 20.0
LINE = "The old harbor town slept under a thin gray fog, and nobody counted the costs of {}."


class Meter(PhaseMeter):
    """Drops, reads, opens and scrolls.

    Attributes:
        drawn: The pages that were drawn.
    """

    def __init__(self, window: MainWindow, file: Path) -> None:
        self.drawn: set[int] = set()
        self._window = window
        self._file = file
        phases = {
            "start": self._start,
            "idle": self._idle,
            "read": self._read,
            "open": self._open,
            "scroll": self._scroll,
        }
        super().__init__(window, phases, "start")

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
