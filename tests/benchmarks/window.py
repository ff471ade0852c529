"""How fast the window is there, and how late its event loop is while the model works.

Run from the checkout, with MODELS a folder that holds an installed model, such as the `models` of a
data folder (`snug models add starter`)::

    python tests/benchmarks/window.py MODELS

Prints the first paint from the process's start (median of warm starts, beside a bare Qt window in
the same run, because absolute times are the machine's), and the lateness of a 4 ms timer in the
window while a prompt of about 2,000 tokens is read and while its answer streams.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
STARTS = 7
_BARE = """
import time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

class Window(QWidget):
    def paintEvent(self, event):
        QTimer.singleShot(0, lambda: (print(time.monotonic(), flush=True), application.quit()))

application = QApplication([])
window = Window()
window.show()
application.exec()
"""
_SNUG = """
import functools, sys, time
from ui import application
from PySide6.QtWidgets import QApplication

def painted():
    print(time.monotonic(), flush=True)
    QApplication.closeAllWindows()

application.run = functools.partial(application.run, on_painted=painted)
from app import __main__
sys.argv = ["snug"]
sys.exit(__main__.main())
"""


def first_paint_s(program: str, environment: dict[str, str]) -> float:
    """Return the seconds from the start of a process to its window's first paint."""
    begin_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return float(done.stdout.splitlines()[0]) - begin_s


def measure_first_paint(environment: dict[str, str]) -> str:
    """Return a line about warm starts, ours and a bare window's in turn."""
    first_paint_s(_SNUG, environment)
    ours, bare = [], []
    for _ in range(STARTS):
        ours.append(first_paint_s(_SNUG, environment))
        bare.append(first_paint_s(_BARE, environment))
    ours_s, bare_s = statistics.median(ours), statistics.median(bare)
    return f"first paint: {ours_s:.3f} s (bare Qt window {bare_s:.3f} s, x{ours_s / bare_s:.2f})\n"


def main() -> int:
    """Measure and print."""
    models = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        data.mkdir()
        (data / "models").symlink_to(models)
        secret = Path(folder, "passphrase")
        secret.write_text("a few words for a benchmark")
        environment = os.environ | {
            "SNUG_DATA_DIR": str(data),
            "SNUG_PASSPHRASE_FILE": str(secret),
        }
        sys.stdout.write(measure_first_paint(environment))
        sys.stdout.flush()
        lateness = Path(__file__).with_name("window_lateness.py")
        command = [sys.executable, str(lateness)]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=300)
    return 0


if __name__ == "__main__":
    sys.exit(main())
