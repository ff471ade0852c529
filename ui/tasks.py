"""Brings the result of a future to the GUI thread.

Services answer with futures that end on their own threads. A widget that waited for one would
freeze the window, and one that was touched from there would crash it, so every future goes through
here: the safe path is the shortest to write.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from app.errors import AppError
from inference.errors import InferenceError

T = TypeVar("T")


class Tasks(QObject):
    """Delivers futures; `run` is for the GUI thread only.

    Close the services before this object goes: a future that ends later has nobody to tell.
    """

    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._executor: ThreadPoolExecutor | None = None

    def start(
        self,
        function: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        owner: QObject,
    ) -> None:
        """Run short work, such as listing a folder, on the one helper thread and deliver it."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tasks")
        self.run(self._executor.submit(function), done, failed, owner)

    def close(self) -> None:
        """End the helper thread once it has done what it was given."""
        if self._executor is not None:
            self._executor.shutdown()

    def run(
        self,
        future: Future[T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        owner: QObject,
    ) -> None:
        """Call `done` with the future's result, or `failed` with its error, on the GUI thread.

        What the environment did (`AppError`, `InferenceError`) goes to `failed`; any other error
        is Snug's own fault and is raised in the event loop, where the crash dialog waits for it.
        Nothing is called once `owner` has been destroyed, nor for a cancelled future.
        """

        def deliver() -> None:
            if not shiboken6.isValid(owner):
                return
            try:
                result = future.result()
            except (AppError, InferenceError) as error:
                failed(error)
            except CancelledError:
                return
            else:
                done(result)

        future.add_done_callback(lambda _: self._ended.emit(deliver))

    def _deliver(self, callback: Callable[[], Any]) -> None:
        callback()
