"""Counts prompts beside the window and beside the busy host, for the context meter."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from inference.child import Child
from inference.counting import CountingProcess
from inference.errors import WorkerDied
from inference.types import ChatMessage

_TRIES = 2


class Counts(Protocol):
    """What counts prompts: a process of its own, or this one where nobody waits for it."""

    def count(self, folder: Path, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of the prompt; see `inference.counting.Counter`."""
        ...

    def forget(self) -> None:
        """Give back all memory; the next count starts anew."""
        ...

    def close(self) -> None:
        """Give back all memory for good."""
        ...


class TokenCounter:
    """Counts in a child process, started with the first count; may be used from any thread.

    Args:
        launch: Starts a counting process; may raise OSError.
    """

    def __init__(self, launch: Callable[[], Child]) -> None:
        self._launch = launch
        self._lock = threading.Lock()
        self._process: CountingProcess | None = None
        self._is_closed = False

    def count(self, folder: Path, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of the prompt, the chat template's included; 0 without a message.

        Blocks until the child has counted. A child that ended is replaced once.

        Raises:
            ModelMissing: The tokenizer is not there.
            ModelDamaged: It cannot be read.
            ModelUnsupported: The chat template cannot express the messages.
            WorkerDied: The child ended twice, or all has been closed.
        """
        if not messages:
            return 0
        with self._lock:
            for tries_left in reversed(range(_TRIES)):
                process = self._running()
                try:
                    return process.count(folder, messages)
                except WorkerDied:
                    self._end()
                    if not tries_left:
                        raise
        raise AssertionError  # the loop returns or raises

    def forget(self) -> None:
        """End the child; the next count starts another one."""
        if process := self._process:
            process.kill()  # who counts at this moment holds the lock
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the child for good."""
        self._is_closed = True
        self.forget()

    def _running(self) -> CountingProcess:
        if self._is_closed:
            raise WorkerDied
        if self._process is None:
            try:
                self._process = CountingProcess(self._launch())
            except OSError as error:
                raise WorkerDied from error
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
