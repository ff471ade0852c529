"""How long a thread stands still while a prompt is counted beside it, here and in a child.

Run from the checkout, with FOLDER the folder of a model::

    python tests/benchmarks/counting.py FOLDER

A thread that wants to run every millisecond stands for the window's event loop. Each way is
measured in turn, several rounds, because absolute times are the machine's.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import psutil

from app.children import command
from app.models.token_counter import Counts, TokenCounter
from inference import child
from inference.child import Child
from inference.counting import Counter
from inference.types import ChatMessage

ROUNDS = 3
TICK_S = 0.001
QUESTION = (ChatMessage("user", "The old harbor town slept under a thin gray fog. " * 20),)
DOCUMENT = (ChatMessage("user", "The old harbor town slept under a thin gray fog. " * 4000),)


@contextmanager
def ticking() -> Iterator[list[float]]:
    """Give how late each tick of a thread came, in seconds."""
    late_s: list[float] = []
    ended = threading.Event()

    def tick() -> None:
        last_s = time.perf_counter()
        while not ended.is_set():
            time.sleep(TICK_S)
            now_s = time.perf_counter()
            late_s.append(now_s - last_s - TICK_S)
            last_s = now_s

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield late_s
    finally:
        ended.set()
        thread.join()


def measure(counter: Counts, folder: Path) -> str:
    """Count a question with a new counter, then a document, and say how late the ticks were."""
    parts = []
    for messages in (QUESTION, DOCUMENT):
        with ticking() as late_s:
            began_s = time.perf_counter()
            tokens = counter.count(folder, messages)
            took_s = time.perf_counter() - began_s
        parts.append(
            f"{tokens} tokens in {took_s * 1000:.0f} ms, worst {max(late_s) * 1000:.1f} ms"
        )
    return "; ".join(parts)


def main() -> int:
    """Measure and print."""
    folder = Path(sys.argv[1])
    started: list[Child] = []

    def launch() -> Child:
        started.append(child.start(command("count")))
        return started[-1]

    for _ in range(ROUNDS):
        sys.stdout.write(f"here:    {measure(Counter(), folder)}\n")
        counter = TokenCounter(launch)
        said = measure(counter, folder)
        unique_mb = psutil.Process(started[-1].pid).memory_full_info().uss / 1e6
        counter.close()
        sys.stdout.write(f"a child: {said}; its memory {unique_mb:.0f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
