"""How long documents take to be read, end to end, and what memory that needs on both sides.

    python -m tests.benchmarks.reading FILE…

Ends with 1 where a digital PDF of 100 pages or more takes over 6 ms a page.
"""

import sys
import threading
import time
from pathlib import Path

import psutil

from app.children import command
from app.documents.reader import read_document
from app.errors import DocumentError
from inference import child
from inference.child import Child

_MB = 1_000_000
_LOOK_S = 0.02
_MANY_PAGES = 100
_MOST_MS = 6.0


class _Peaks:
    """The most memory that this process gained and that the document process had."""

    def __init__(self) -> None:
        self._own = psutil.Process()
        self._before = self._own.memory_info().rss
        self._other: psutil.Process | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.own_bytes = 0
        self.other_bytes = 0

    def launch(self) -> Child:
        started = child.start(command("document"))
        self._other = psutil.Process(started.pid)
        self._thread.start()
        return started

    def stop(self) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(_LOOK_S):
            grown = self._own.memory_info().rss - self._before
            self.own_bytes = max(self.own_bytes, grown)
            try:
                if self._other is not None:
                    used = self._other.memory_info().rss
                    self.other_bytes = max(self.other_bytes, used)
            except psutil.Error:
                return


def _measure(path: Path) -> bool:
    """Print one line for `path`; tell whether it is slower than it may be."""
    peaks = _Peaks()
    started_s = time.perf_counter()
    try:
        report = (document := read_document(path, launch=peaks.launch)).report
    except DocumentError as error:
        sys.stdout.write(f"{path.name:45} {error.code}\n")
        return False
    finally:
        peaks.stop()
    spent_s = time.perf_counter() - started_s
    ms = 1000 * spent_s / max(1, report.total)
    sys.stdout.write(
        f"{path.name:45} {report.total:6,} {report.unit}s {report.words:9,} words "
        f"{spent_s:7.2f} s {ms:8.2f} ms each   reader {peaks.other_bytes / _MB:5.0f} MB   "
        f"this process +{peaks.own_bytes / _MB:.0f} MB\n"
    )
    return document.kind == "pdf" and report.total >= _MANY_PAGES and ms > _MOST_MS


if __name__ == "__main__":
    sys.exit(max(map(_measure, map(Path, sys.argv[1:]))))
