"""What Snug promises in numbers, with the starter model and its own processes.

Each is tried up to three times and the best counts: another program may hold a core for a moment,
but nothing makes a slow path fast.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.children import command
from inference import child
from inference.client import EngineClient
from inference.gguf.run import run_import
from inference.stream import Stream
from inference.types import ChatMessage, Event, PrefillProgress, Sampling, TextDelta

pytestmark = [pytest.mark.engine, pytest.mark.starter]

TRIES = 3
CANCEL_S = 0.3
IMPORT_S = 2.0
IMPORT_BYTES = 300_000_000
LONG_TEXT = "the office opens at nine and closes at five " * 600


@pytest.fixture(scope="module")
def client(starter_model: Path) -> Iterator[EngineClient]:
    """A client with the starter loaded."""
    client = EngineClient(lambda: child.start(command("host")))
    loaded = Stream()
    client.load(starter_model, sink=loaded.put)
    loaded.wait(60)
    yield client
    client.close()


def best(attempt: Callable[[int], float], limit: float) -> float:
    """Return the least of up to three attempts, ending with the first within `limit`."""
    least = float("inf")
    for number in range(TRIES):
        least = min(least, attempt(number))
        if least <= limit:
            break
    return least


@pytest.mark.parametrize("stage", [PrefillProgress, TextDelta])
def test_stop_takes_effect_within_a_third_of_a_second(
    client: EngineClient, stage: type[Event]
) -> None:
    text = LONG_TEXT if stage is PrefillProgress else "Write a very long story about the sea."

    def cancel_s(number: int) -> float:
        stream = Stream()
        handle = client.submit(
            (ChatMessage("user", text),),
            session_id=f"{stage.__name__} {number}",
            sampling=Sampling(max_new_tokens=2000),
            sink=stream.put,
        )
        for event in stream:
            if isinstance(event, stage):
                break
        began_s = time.monotonic()
        handle.cancel()
        assert stream.result(30).reason == "cancelled"
        return time.monotonic() - began_s

    assert best(cancel_s, CANCEL_S) <= CANCEL_S


def test_the_starter_is_imported_in_two_seconds_and_300_mb(
    starter_gguf: Path, tmp_path: Path
) -> None:
    watches: list[_Watch] = []

    def import_s(number: int) -> float:
        watches.append(_Watch())
        began_s = time.monotonic()
        run_import(watches[-1].launch, starter_gguf, tmp_path / str(number))
        elapsed_s = time.monotonic() - began_s
        watches[-1].stop()
        # On a crowded machine the clock measures the others.
        return min(elapsed_s, watches[-1].processor_s)

    assert best(import_s, IMPORT_S) <= IMPORT_S
    assert all(watch.processor_s > 0.2 for watch in watches)
    assert all(0 < watch.peak_bytes <= IMPORT_BYTES for watch in watches)


class _Watch:
    """Looks at the import child a hundred times a second."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.processor_s = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch")
        self._process: psutil.Process | None = None

    def launch(self) -> child.Child:
        """Start the import child and watch it."""
        started = child.start(command("import"))
        self._process = psutil.Process(started.pid)
        self._thread.start()
        return started

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        assert self._process is not None
        while not self._ended.wait(0.01):
            try:
                times = self._process.cpu_times()
                self.peak_bytes = max(self.peak_bytes, self._process.memory_info().rss)
            except psutil.Error:
                return
            self.processor_s = max(self.processor_s, times.user + times.system)
