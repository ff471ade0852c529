"""Talks with a document process and holds it to its limits of time and memory.

The process may crash, hang or swell on a hostile file. It is watched from here because no system
call limits all three on every system, and it is ended whatever happens.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any

import psutil

from inference.child import Child
from inference.errors import BadFrame, Cancelled
from inference.frames import Codec

_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """What work on one document may cost.

    Attributes:
        file_bytes: Larger files are not opened.
        memory_bytes: Resident memory of the process, watched from here on every system.
        address_bytes: Its address space, which the kernel enforces where it can.
        step_s: Seconds until the first frame, and from one frame to the next.
        open_s: Seconds until the first frame where that may take longer, as with what holds files.
        total_s: Seconds for the whole document.
        units: Documents of more pages are refused.
    """

    file_bytes: int = 500_000_000
    memory_bytes: int = 1_000_000_000
    address_bytes: int = 2_000_000_000
    step_s: float = 30.0
    open_s: float = 0.0
    total_s: float = 900.0
    units: int = 20_000


class LimitReached(Exception):
    """The process was ended at a limit; its name is the argument, `time` or `memory`."""


class ProcessGone(Exception):
    """The process crashed, could not be started, or sent what is no frame."""


def converse(
    launch: Callable[[], Child],
    commands: Iterable[bytes],
    codec: Codec,
    *,
    limits: Limits,
    cancelled: threading.Event,
) -> Generator[Any, None, None]:
    """Start a process, send it `commands` and yield its events; it is ended with the generator.

    Raises:
        LimitReached: It took too long or too much memory.
        ProcessGone: It ended without a last word.
        Cancelled: `cancelled` was set.
    """
    try:
        child = launch()
    except OSError as error:
        raise ProcessGone from error
    watch = Watch(child, limits, cancelled)
    try:
        for command in commands:
            child.connection.send_bytes(command)
        while True:
            watch.wait()
            yield codec.decode(child.connection.recv_bytes())
    except (EOFError, OSError, BadFrame) as error:
        raise ProcessGone from error
    finally:
        child.kill()
        child.close()


class Watch:
    """Waits for frames of one process, and looks at its limits while it waits; one thread."""

    def __init__(self, child: Child, limits: Limits, cancelled: threading.Event) -> None:
        self._child = child
        self._limits = limits
        self._cancelled = cancelled
        self._process = _process(child.pid)
        self._started_s = time.monotonic()
        self._looked_s = 0.0
        self._step_s = max(limits.step_s, limits.open_s)

    def wait(self) -> None:
        """Return when a frame, or the end of the pipe, can be read.

        Raises:
            LimitReached: It took too long or too much memory.
            Cancelled: `cancelled` was set.
        """
        step_from_s = time.monotonic()
        while True:
            has_frame = self._child.connection.poll(_POLL_S)
            now_s = time.monotonic()
            if self._cancelled.is_set():
                raise Cancelled
            if now_s - self._started_s > self._limits.total_s:
                raise LimitReached("time")
            if now_s - self._looked_s > _POLL_S:
                self._looked_s = now_s
                self._look_at_memory()
            if has_frame:
                self._step_s = self._limits.step_s
                return
            if now_s - step_from_s > self._step_s:
                raise LimitReached("time")

    def _look_at_memory(self) -> None:
        try:
            used_bytes = self._process.memory_info().rss if self._process else 0
        except psutil.Error:
            return  # it ended; the pipe says so next
        if used_bytes > self._limits.memory_bytes:
            raise LimitReached("memory")


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.Error:  # it has ended already; the pipe says so
        return None
