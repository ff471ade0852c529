"""The handle that other code holds on the inference host.

Nothing here ever waits for the host on the caller's thread. A dispatcher thread starts the host and
sends, so a prompt that fills the pipe blocks nobody; the host's reader gives what comes back to the
sinks; a timer ends a host that does not answer a Cancel. The host gets one request at a time: the
queue is here, so that waiting requests are cancelled without it and outlive it.
"""

import itertools
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from inference.child import Child
from inference.errors import InferenceError, ModelNotLoaded, WorkerDied
from inference.hosting import Host
from inference.pending import Pending, Queue, Sink
from inference.types import (
    BareRun,
    Cancel,
    ChatMessage,
    Command,
    DeviceTarget,
    DeviceWish,
    DropSession,
    Event,
    Failed,
    GenerationRequest,
    Lane,
    Loaded,
    LoadModel,
    Prefill,
    Sampling,
    is_last,
)

CANCEL_LIMIT_S = 2.0

_Work: TypeAlias = Callable[[], object]


class Handle:
    """A request under way."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel

    def cancel(self) -> None:
        """Ask for the end; the last event still comes. Never blocks, and may be called twice."""
        self._cancel()


class EngineClient:
    """Starts the host when it is needed, queues, submits, cancels, and restarts it after a crash.

    Every event of a request goes to its sink, in order and from one thread at a time, the last one
    exactly once; a request that cannot be sent fails through its sink as well.

    Args:
        launch: Starts a host process; may raise OSError.
    """

    def __init__(self, launch: Callable[[], Child]) -> None:
        self._launch = launch
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self._queue = Queue()
        self._running: Pending | None = None
        self._endings: deque[tuple[Pending, Event]] = deque()
        self._notices: deque[Command] = deque()
        self._host: Host | None = None
        self._wanted: LoadModel | None = None
        self._loaded: Loaded | None = None
        self._is_closed = False
        self._dispatcher = threading.Thread(target=self._dispatch, name="engine", daemon=True)

    @property
    def pid(self) -> int | None:
        """The host's process id, or None while none runs."""
        host = self._host
        return None if host is None else host.pid

    @property
    def loaded(self) -> Loaded | None:
        """What the host said about the model that is in it, or None."""
        return self._loaded

    def load(
        self,
        folder: Path,
        *,
        sink: Sink,
        device: DeviceWish = "auto",
        context_tokens: int = 0,
        target: DeviceTarget | None = None,
        reason: str = "",
        kv_budget_bytes: int = 0,
        kv_bits: int = 32,
        threads: int = 0,
        spins: bool = True,
    ) -> Handle:
        """Load a model, after what was submitted before; see `LoadModel`.

        `sink` gets `Loaded` or `Failed`.
        """
        command = LoadModel(
            next(self._ids),
            str(folder.absolute()),
            device,
            context_tokens,
            target=target,
            reason=reason,
            kv_budget_bytes=kv_budget_bytes,
            kv_bits=kv_bits,
            threads=threads,
            spins=spins,
        )
        return self._submit(Pending(command, sink))

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sink: Sink,
        sampling: Sampling | None = None,
        lane: Lane = "interactive",
        drafts: bool = False,
        ignore_eos: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        """Start answering; see `GenerationRequest`."""
        command = GenerationRequest(
            next(self._ids),
            session_id,
            messages,
            sampling or Sampling(),
            lane=lane,
            drafts=drafts,
            ignore_eos=ignore_eos,
            continues=continues,
            schema=schema,
        )
        return self._submit(Pending(command, sink))

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str, sink: Sink) -> Handle:
        """Compute ahead; see `Prefill`. `sink` gets `Prefilled` or `Failed`."""
        return self._submit(Pending(Prefill(next(self._ids), session_id, messages), sink))

    def bare_run(self, prompt_tokens: int, new_tokens: int, *, sink: Sink) -> Handle:
        """Run the runtime's own loop; `sink` gets `BareMeasured` or `Failed`."""
        return self._submit(Pending(BareRun(next(self._ids), prompt_tokens, new_tokens), sink))

    def drop_session(self, session_id: str) -> None:
        """Give back a session's KV cache."""
        with self._changed:
            self._notices.append(DropSession(session_id))
            self._changed.notify_all()

    def restart(self) -> None:
        """End the host; what it was doing fails, and the next request starts another one."""
        if host := self._host:
            host.kill()

    def close(self) -> None:
        """End the host; what runs or waits is ended as cancelled. Waits for the threads."""
        with self._changed:
            self._is_closed = True
            for pending in self._queue.take_all():
                self._endings.append((pending, pending.cancelled()))
            if self._running is not None:
                self._running.is_cancelled = True
            host = self._host
            self._changed.notify_all()
        if host is not None:
            host.close()
        if self._dispatcher.is_alive() and self._dispatcher is not threading.current_thread():
            self._dispatcher.join()

    def _submit(self, pending: Pending) -> Handle:
        with self._changed:
            is_taken = not self._is_closed
            if is_taken:
                self._queue.put(pending)
                if self._dispatcher.ident is None:
                    self._dispatcher.start()
                self._changed.notify_all()
        if not is_taken:
            pending.sink(pending.cancelled())
        return Handle(lambda: self._cancel(pending))

    def _cancel(self, pending: Pending) -> None:
        with self._changed:
            if self._queue.remove(pending):
                self._endings.append((pending, pending.cancelled()))
            elif pending is self._running and not pending.is_cancelled:
                pending.is_cancelled = True
                self._notices.append(Cancel(pending.command.request_id))
                pending.limit = threading.Timer(CANCEL_LIMIT_S, self._kill_unanswering, [pending])
                pending.limit.daemon = True
                pending.limit.start()
            self._changed.notify_all()

    def _kill_unanswering(self, pending: Pending) -> None:
        with self._changed:
            host = pending.host if self._running is pending else None
        if host is not None:
            host.kill()

    # What the dispatcher's thread does.

    def _dispatch(self) -> None:
        while True:
            with self._changed:
                while (work := self._find_work()) is None:
                    if self._is_closed and self._running is None:
                        return
                    self._changed.wait()
            work()

    def _find_work(self) -> _Work | None:
        """Return the next thing to do outside the lock, or None."""
        if self._endings:
            pending, event = self._endings.popleft()
            return partial(pending.sink, event)
        if self._notices and (host := self._host) is not None:
            notice = self._notices.popleft()
            return partial(self._send, host, notice)
        if self._running is not None or self._is_closed:
            return None
        self._notices.clear()  # they were for a host that is gone
        return self._find_request()

    def _find_request(self) -> _Work | None:
        pending = self._queue.first()
        if pending is None:
            return None
        if pending.needs_model and self._loaded is None:
            if self._wanted is None:
                self._queue.remove(pending)
                failed = Failed(pending.command.request_id, ModelNotLoaded.code)
                return partial(pending.sink, failed)
            pending = Pending.reload(self._wanted, next(self._ids), waiting=pending)
        else:
            self._queue.remove(pending)
        self._running = pending
        pending.host = self._host
        if isinstance(pending.command, LoadModel):
            self._wanted = pending.command
            self._loaded = None
        return partial(self._begin, pending)

    def _begin(self, pending: Pending) -> None:
        was_idle = pending.host is not None
        try:
            host = pending.host or self._start_host(pending)
        except OSError:
            self._end(pending, WorkerDied())
            return
        if not self._send(host, pending.command):
            host.close()
            if was_idle and self._put_back(pending):
                return  # it had died before, and nobody had noticed
        with self._changed:
            pending.is_sent = True
            error = host.ended_by
        if error is not None:
            self._end(pending, error)

    def _put_back(self, pending: Pending) -> bool:
        with self._changed:
            if pending.is_cancelled:
                return False
            pending.host = self._running = None
            self._queue.put_back(pending)
        return True

    def _start_host(self, pending: Pending) -> Host:
        host = Host(self._launch(), on_event=self._on_event, on_end=self._on_end)
        with self._changed:
            self._host = pending.host = host
            is_closed = self._is_closed
        host.start()
        if is_closed:
            host.kill()
        return host

    def _send(self, host: Host, command: Command) -> bool:
        """Send to a host that may have ended: its reader says what that means."""
        try:
            host.send(command)
        except OSError:
            host.kill()
            return False
        return True

    # What the reader's thread does.

    def _on_event(self, host: Host, event: Event) -> None:
        with self._changed:
            pending = self._running
            if pending is None or pending.host is not host:
                return
            if pending.command.request_id != event.request_id:
                return
            if isinstance(event, Loaded):
                self._loaded = event
            if is_last(event):
                self._release(pending, event)
        pending.sink(event)

    def _on_end(self, host: Host, error: InferenceError) -> None:
        with self._changed:
            host.ended_by = error
            if self._host is host:
                self._host = self._loaded = None
            pending = self._running
            self._changed.notify_all()
        # What was not sent yet is the dispatcher's, which finds the host ended.
        if pending is not None and pending.host is host and pending.is_sent:
            self._end(pending, error)

    def _end(self, pending: Pending, error: InferenceError) -> None:
        """End the running request without the host, unless that was done meanwhile."""
        event: Event = Failed(pending.command.request_id, error.code, error.facts)
        with self._changed:
            if self._running is not pending:
                return
            if pending.is_cancelled:
                event = pending.cancelled()
            if isinstance(pending.command, LoadModel):
                self._wanted = None  # a model that ends the host is not loaded again by itself
            self._release(pending, event)
        pending.sink(event)

    def _release(self, pending: Pending, event: Event) -> None:
        """Let the next request begin; the lock is held."""
        self._running = None
        if pending.limit is not None:
            pending.limit.cancel()
        waiting = pending.waiting
        if waiting is not None and isinstance(event, Failed) and self._queue.remove(waiting):
            failed = Failed(waiting.command.request_id, event.code, event.facts)
            self._endings.append((waiting, failed))
        self._changed.notify_all()
