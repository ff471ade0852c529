"""Brings a model into the host: decides on the device first, which may take a while.

One thread does this, one thing after the other, so that a host is never ended under a model that is
being loaded into it. Requests that come before a load is on its way wait here, not at the client,
which would run them with the model of before.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeAlias, get_args

from app.models.crash_marker import CrashMarker
from app.models.device_values import Decision
from app.models.installed import InstalledModel
from app.ports import Handle
from inference.client import EngineClient
from inference.errors import Cancelled, InferenceError
from inference.types import DeviceWish, Event, Failed, Finished

Decide: TypeAlias = Callable[[InstalledModel, DeviceWish], Decision]
Sink: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What to load, and how; see `LoadModel`."""

    model: InstalledModel
    wish: DeviceWish
    context_tokens: int
    kv_budget_bytes: int
    kv_bits: int


def leave_to_host(_model: InstalledModel, _wish: DeviceWish) -> Decision:
    """Decide nothing: the host takes the wish as far as it can."""
    return Decision(None)


class Loader:
    """Loads and unloads on a thread of its own; all methods may be called from any thread.

    Args:
        client: Owns the host.
        marker: Told of each load just before the host is; who called says how it ended.
        decide: Chooses the device; may block, and may raise InferenceError or OSError, after which
            the host chooses.
    """

    def __init__(self, client: EngineClient, marker: CrashMarker, decide: Decide) -> None:
        self._client = client
        self._marker = marker
        self._decide = decide
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._under_way = 0
        self._waiting: list[Waiting] = []
        self._thread = threading.Thread(target=self._run, name="model-loader", daemon=True)

    def load(self, plan: LoadPlan, sink: Sink) -> Handle:
        """Load a model; `sink` gets `Loaded` or `Failed`. Never blocks."""
        job = Waiting(lambda: self._send(plan, sink), sink, Failed(0, Cancelled.code))
        self._put(job.begin)
        return job

    def unload(self) -> None:
        """End the host, and with it give back all memory. Never blocks."""
        self._put(self._client.restart)

    def submit(self, begin: Callable[[], Handle], sink: Sink) -> Handle:
        """Hand a request over as soon as no load is in preparation: mostly at once."""
        end = Finished(0, "cancelled", 0, 0, 0, 0.0, 0.0, 0.0, 0)
        waiting = Waiting(begin, sink, end)
        with self._lock:
            if self._under_way:
                self._waiting.append(waiting)
                return waiting
        return begin()

    def close(self) -> None:
        """End what waits, and the thread as soon as it can."""
        self._jobs.put(None)
        for waiting in self._take_waiting():
            waiting.cancel()

    def _put(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._under_way += 1
            if self._thread.ident is None:
                self._thread.start()
        self._jobs.put(job)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            with self._lock:
                self._under_way -= 1
                is_last = not self._under_way
            if is_last:
                for waiting in self._take_waiting():
                    waiting.begin()

    def _send(self, plan: LoadPlan, sink: Sink) -> Handle:
        try:
            decision = self._decide(plan.model, plan.wish)
        except (InferenceError, OSError):
            decision = Decision(None)
        # A wish may be the name of one device, which is the decision's to know and not the host's.
        device = plan.wish if plan.wish in get_args(DeviceWish) else "auto"
        self._marker.begin(plan.model.id)
        return self._client.load(
            plan.model.folder,
            device=device,
            context_tokens=plan.context_tokens,
            target=decision.target,
            reason=decision.reason,
            kv_budget_bytes=plan.kv_budget_bytes,
            kv_bits=plan.kv_bits,
            sink=sink,
        )

    def _take_waiting(self) -> "list[Waiting]":
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken


class Waiting:
    """A request that has not begun, or has; cancelled before, it ends without beginning."""

    def __init__(self, begin: Callable[[], Handle], sink: Sink, cancelled: Event) -> None:
        self._begin = begin
        self._sink = sink
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._has_begun = False
        self._handle: Handle | None = None

    def begin(self) -> None:
        """Begin, unless it was cancelled before or while it begins."""
        with self._lock:
            if self._is_cancelled:
                return
            self._has_begun = True
        handle = self._begin()
        if not self._keep(handle):
            handle.cancel()

    def cancel(self) -> None:
        """Ask for the end. Never blocks."""
        with self._lock:
            is_first, self._is_cancelled = not self._is_cancelled, True
            handle, has_begun = self._handle, self._has_begun
        if handle is not None:
            handle.cancel()
        elif is_first and not has_begun:
            self._sink(self._cancelled)

    def _keep(self, handle: Handle) -> bool:
        """Keep what to cancel from now on; False where that has been asked for already."""
        with self._lock:
            self._handle = handle
            return not self._is_cancelled
