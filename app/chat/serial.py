"""One thread that does one thing after the other, and a beat while something needs it.

All that touches the store runs here, so that order is by construction and no lock is held over a
disk. The beat is why this is not an executor: growing answers are committed on it, and a timer
thread beside this one would need the locks again.
"""

import queue
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class SerialThread:
    """Runs work in the order it came; all methods may be called from any thread.

    Args:
        beat: Called on the thread every `beat_s` seconds as long as `is_beating` says so.
    """

    def __init__(
        self,
        name: str,
        *,
        beat: Callable[[], None],
        is_beating: Callable[[], bool],
        beat_s: float,
    ) -> None:
        self._beat = beat
        self._is_beating = is_beating
        self._beat_s = beat_s
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` in its turn; its result or error is the future's, cancelled once closed."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - a task runner hands every error to who asked
                future.set_exception(error)
            else:
                future.set_result(result)

        if not self._put(run):
            future.cancel()
        return future

    def post(self, work: Callable[[], None]) -> bool:
        """Run `work` in its turn, and return False where it will not be because this is closed.

        An error of `work` is a bug and goes to `threading.excepthook`.
        """
        return self._put(work)

    def close(self) -> None:
        """Do what has been asked so far, then end; work that comes later is not done."""
        with self._closing:
            self._is_closed = True
            self._work.put(None)
        self._thread.join()

    def _put(self, work: Callable[[], None]) -> bool:
        with self._closing:
            if not self._is_closed:
                self._work.put(work)
            return not self._is_closed

    def _run(self) -> None:
        due_s: float | None = None
        while True:
            try:
                work = self._work.get(timeout=_until(due_s))
            except queue.Empty:
                pass
            else:
                if work is None:
                    return
                _run_guarded(work)
            due_s = self._beat_if_due(due_s)

    def _beat_if_due(self, due_s: float | None) -> float | None:
        """Beat if it is time, and return when it is time again, or None while nothing beats."""
        if not self._is_beating():
            return None
        now_s = time.monotonic()
        if due_s is not None and now_s < due_s:
            return due_s
        if due_s is not None:
            _run_guarded(self._beat)
        return time.monotonic() + self._beat_s


def _until(due_s: float | None) -> float | None:
    return None if due_s is None else max(0.0, due_s - time.monotonic())


def _run_guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001 - a worker loop outlives a bug in one piece of work
        kind, error, trace = sys.exc_info()
        threading.excepthook(
            threading.ExceptHookArgs((kind or Exception, error, trace, threading.current_thread()))
        )
