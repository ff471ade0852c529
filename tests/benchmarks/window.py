"""How fast the window is there, and how late its event loop is while the model works.

Run from the checkout, with the starter installed in DATA (`snug models add starter`)::

    python tests/benchmarks/window.py DATA

Prints the first paint (median of warm starts, from the process's start) and the lateness of a 4 ms
timer in the window while a prompt of 2,000 tokens is read and while its answer streams.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
STARTS = 7
PROMPT_WORDS = 1500
TICK_MS = 4
_PAINT = """
import functools, sys, time
from ui import application
from PySide6.QtWidgets import QApplication

def painted():
    print(time.monotonic(), flush=True)
    QApplication.closeAllWindows()

application.run = functools.partial(application.run, on_painted=painted)
from app import __main__
sys.argv = ["snug", "--data-dir", sys.argv[1]]
sys.exit(__main__.main())
"""


def first_paint_s(data: str) -> float:
    """Return the seconds from the start of a process to its window's first paint."""
    begin_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _PAINT, data],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return float(done.stdout.splitlines()[0]) - begin_s


def main() -> int:
    """Measure and print."""
    data = sys.argv[1]
    first_paint_s(data)
    paints = sorted(first_paint_s(data) for _ in range(STARTS))
    median_s = statistics.median(paints)
    sys.stdout.write(f"first paint: median {median_s:.3f} s, worst {paints[-1]:.3f} s\n")
    sys.stdout.flush()
    subprocess.run(
        [sys.executable, str(Path(__file__).with_name("window_lateness.py")), data],
        cwd=ROOT,
        check=True,
        timeout=300,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
