"""Threads for work that blocks for seconds: reading a file, summarizing it."""

import threading
from collections.abc import Callable


class SideWork:
    """Starts a thread a piece of work, and knows which of them still run and how to stop them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[tuple[threading.Thread, Callable[[], None]]] = []

    def start(self, name: str, work: Callable[[], None], *, stop: Callable[[], None]) -> None:
        """Run `work` on a new thread; `stop` asks it to end soon and never blocks.

        An error of `work` is a bug and goes to `threading.excepthook`.
        """
        thread = threading.Thread(target=work, name=name, daemon=True)
        with self._lock:
            self._running = [entry for entry in self._running if entry[0].is_alive()]
            thread.start()
            self._running.append((thread, stop))

    def stop(self) -> None:
        """Ask everything that runs to end."""
        with self._lock:
            running = tuple(self._running)
        for _, stop in running:
            stop()

    def join(self, timeout_s: float) -> None:
        """Wait for what runs, each piece up to `timeout_s`."""
        with self._lock:
            running = tuple(self._running)
        for thread, _ in running:
            thread.join(timeout_s)
