"""Ends a host that gives no sign of life, or does not answer a Cancel.

Time is counted in ticks of this thread and not read from a clock: while the machine sleeps no tick
happens, so whatever wakes has as much time left as before. Clocks differ in this from one system to
the next.
"""

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inference.errors import InferenceError, WorkerDied, WorkerHung
from inference.pending import Pending
from inference.types import BareRun, DeviceKind, LoadModel
from inference.urgency import Request

TICK_S = 0.25


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a host may be silent, in seconds.

    A host at work tells at least once a second that it is, but not from within a step. A step is a
    chunk of a prompt or a token: on a processor some seconds at the very most, unless the machine
    swaps. The first step on another device may compile its shaders for minutes. A load reads
    gigabytes from a slow disk in one call, as a bare run measures a whole prompt in one; on another
    device it may compile a graph, which takes as long as it takes, so nothing limits that.

    Attributes:
        cancel_s: From a Cancel to the last event.
        step_s: Between two signs of life, on the processor.
        device_step_s: The same on any other device.
        long_s: For a load on the processor, or a bare run.
    """

    cancel_s: float = 2.0
    step_s: float = 120.0
    device_step_s: float = 600.0
    long_s: float = 900.0


class Watchdog:
    """Counts how long a host has been silent, and how long each Cancel has gone unanswered.

    Not for several threads at once: whoever calls holds the client's lock.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._silent_ticks = 0

    def heard(self) -> None:
        """Note a sign of life."""
        self._silent_ticks = 0

    def tick(self, running: Iterable[Pending], device: DeviceKind) -> InferenceError | None:
        """Count a tick; return why the host must be ended now, or None.

        Args:
            running: What the host works on.
            device: What it works on it with.
        """
        self._silent_ticks += 1
        error: InferenceError | None = None
        limits_s = []
        for pending in running:
            limits_s.append(self._limit_s(pending.command, device))
            if pending.is_cancelled:
                pending.cancelled_ticks += 1
                if pending.cancelled_ticks * TICK_S >= self._limits.cancel_s:
                    error = WorkerDied()
        if error is None and limits_s and self._silent_ticks * TICK_S >= max(limits_s):
            error = WorkerHung(silent_s=round(self._silent_ticks * TICK_S))
        return error

    def _limit_s(self, command: Request, device: DeviceKind) -> float:
        if isinstance(command, LoadModel):
            wish = command.device if command.target is None else command.target.kind
            return self._limits.long_s if wish in ("auto", "cpu") else math.inf
        if isinstance(command, BareRun):
            return self._limits.long_s
        return self._limits.step_s if device == "cpu" else self._limits.device_step_s


class Ticker:
    """Calls `tick` every `TICK_S` seconds while there is something to watch.

    Args:
        tick: Says whether it wants to be called again.
    """

    def __init__(self, tick: Callable[[], bool]) -> None:
        self._tick = tick
        self._changed = threading.Condition()
        self._is_wanted = False
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="engine-watch", daemon=True)

    def start(self) -> None:
        """Tick from now on. Any thread; called again while it ticks it does nothing."""
        with self._changed:
            self._is_wanted = True
            if self._thread.ident is None and not self._is_closed:
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_wanted or self._is_closed)
                if self._changed.wait_for(lambda: self._is_closed, TICK_S):
                    return
                self._is_wanted = False
            if self._tick():
                self.start()
