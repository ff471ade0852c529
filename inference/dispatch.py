"""Requests on their way to the host, and their events on the way back.

Nothing here ever waits for the host on the caller's thread. A dispatcher thread starts the host and
sends, so a prompt that fills the pipe blocks nobody; the host's reader gives what comes back to the
sinks; a watchdog ends a host that does not answer. The host gets one request of each urgency at a
time: the queue is here, so that waiting requests are cancelled without it and outlive it.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from inference.child import Child
from inference.errors import InferenceError, ModelNotLoaded, WorkerDied
from inference.hosting import Host
from inference.pending import Pending, Queue
from inference.running import Running
from inference.types import (
    Cancel,
    Command,
    DropSession,
    Event,
    Failed,
    Loaded,
    LoadModel,
    Prefill,
    TextDelta,
    is_last,
)
from inference.watchdog import Limits, Ticker, Watchdog

_Work: TypeAlias = Callable[[], object]


class Handle:
    """A request under way."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel

    def cancel(self) -> None:
        """Ask for the end; the last event still comes. Never blocks, and may be called twice."""
        self._cancel()


class Dispatcher:
    """Owns the host, what waits for it and what runs in it; see `EngineClient`.

    When a host ends by itself, what runs in it fails, except that a batch request without any text
    goes back to the queue, once: nobody has seen anything of it, and whoever waits for a hundred of
    them would have to ask for it again anyway.
    """

    def __init__(self, launch: Callable[[], Child], ids: Iterator[int], limits: Limits) -> None:
        self._launch = launch
        self._ids = ids
        self._changed = threading.Condition()
        self._queue = Queue()
        self._running = Running()
        self._endings: deque[tuple[Pending, Event]] = deque()
        self._notices: deque[Command] = deque()
        self._host: Host | None = None
        self._wanted: LoadModel | None = None
        self._loaded: Loaded | None = None
        self._is_closed = False
        self._watchdog = Watchdog(limits)
        self._ticker = Ticker(self._tick)
        self._thread = threading.Thread(target=self._dispatch, name="engine", daemon=True)

    @property
    def pid(self) -> int | None:
        """The host's process id, or None while none runs."""
        host = self._host
        return None if host is None else host.pid

    @property
    def loaded(self) -> Loaded | None:
        """What the host said about the model that is in it, or None."""
        return self._loaded

    def submit(self, pending: Pending) -> Handle:
        """Queue a request."""
        with self._changed:
            is_taken = not self._is_closed
            if is_taken:
                for replaced in self._queue.put(pending):
                    self._endings.append((replaced, replaced.cancelled()))
                if self._thread.ident is None:
                    self._thread.start()
                self._changed.notify_all()
        if not is_taken:
            pending.sink(pending.cancelled())
        return Handle(lambda: self._cancel(pending))

    def drop_session(self, session_id: str) -> None:
        """Have the host give back a session's cache."""
        with self._changed:
            self._notices.append(DropSession(session_id))
            self._changed.notify_all()

    def restart(self) -> None:
        """End the host and let what it was doing fail."""
        with self._changed:
            host = self._host
            for pending in self._running:
                pending.may_return = False
        if host is not None:
            host.kill()

    def close(self) -> None:
        """End everything and wait for the threads."""
        with self._changed:
            self._is_closed = True
            for pending in self._queue.take_all():
                self._endings.append((pending, pending.cancelled()))
            for pending in self._running:
                pending.is_cancelled = True
            host = self._host
            self._changed.notify_all()
        if host is not None:
            host.close()
        self._ticker.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _cancel(self, pending: Pending) -> None:
        with self._changed:
            if self._queue.remove(pending):
                self._endings.append((pending, pending.cancelled()))
            elif pending in self._running and not pending.is_cancelled:
                pending.is_cancelled = True
                self._notices.append(Cancel(pending.command.request_id))
            self._changed.notify_all()

    # What the watchdog's thread does.

    def _tick(self) -> bool:
        with self._changed:
            host = self._host
            device = "cpu" if self._loaded is None else self._loaded.device.kind
            error = self._watchdog.tick(self._running, device)
            is_wanted = bool(self._running)
        if error is not None and host is not None:
            host.kill(error)
        return is_wanted

    # What the dispatcher's thread does.

    def _dispatch(self) -> None:
        while True:
            with self._changed:
                while (work := self._find_work()) is None:
                    if self._is_closed and not self._running:
                        return
                    self._changed.wait()
            work()

    def _find_work(self) -> _Work | None:
        """Return the next thing to do outside the lock, or None."""
        if self._endings:
            pending, event = self._endings.popleft()
            return partial(pending.sink, event)
        host = self._host
        if host is None:
            self._notices.clear()  # they were for one that is gone
        elif self._notices:
            return partial(self._send, host, self._notices.popleft())
        if self._is_closed:
            return None
        waiting = self._queue.in_order()
        in_the_way = self._running.in_the_way(waiting)
        if host is not None and in_the_way is not None:
            in_the_way.is_replaced = True
            return partial(self._send, host, Cancel(in_the_way.command.request_id))
        chosen = self._running.choose(waiting)
        return None if chosen is None else self._find_host(chosen)

    def _find_host(self, pending: Pending) -> _Work | None:
        """Return how a request begins whose turn it is, or None if it has to wait after all."""
        if not pending.needs_model or self._loaded is not None:
            self._queue.remove(pending)
        elif isinstance(pending.command, Prefill):
            self._queue.remove(pending)
            return partial(pending.sink, pending.cancelled())
        elif self._wanted is None:
            self._queue.remove(pending)
            failed = Failed(pending.command.request_id, ModelNotLoaded.code)
            return partial(pending.sink, failed)
        elif self._running:
            return None  # a host has just ended, and its requests are about to
        else:
            pending = Pending.reload(self._wanted, next(self._ids), waiting=pending)
        if isinstance(pending.command, LoadModel):
            self._wanted = pending.command
            self._loaded = None
        self._running.add(pending)
        pending.host = self._host
        self._watchdog.heard()
        self._ticker.start()
        return partial(self._begin, pending)

    def _begin(self, pending: Pending) -> None:
        had_host = pending.host is not None
        try:
            host = pending.host or self._start_host(pending)
        except OSError:
            self._end(pending, WorkerDied())
            return
        if not self._send(host, pending.command):
            host.close()
            if had_host and self._put_back(pending):
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
            self._return(pending)
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
            if host is self._host:
                self._watchdog.heard()
            pending = self._running.find(host, event.request_id)
            if pending is None:
                return
            if isinstance(event, Loaded):
                self._loaded = event
            if isinstance(event, TextDelta):
                pending.has_text = True
            if is_last(event):
                self._release(pending, event)
        pending.sink(event)

    def _on_end(self, host: Host, error: InferenceError) -> None:
        with self._changed:
            host.ended_by = error
            if self._host is host:
                self._host = self._loaded = None
            # What was not sent yet is the dispatcher's, which finds the host ended.
            ended = [pending for pending in self._running.on(host) if pending.is_sent]
            self._changed.notify_all()
        for pending in ended:
            self._end(pending, error)

    def _end(self, pending: Pending, error: InferenceError) -> None:
        """End a running request without the host, unless that was done meanwhile."""
        event: Event = Failed(pending.command.request_id, error.code, error.facts)
        with self._changed:
            if pending not in self._running:
                return
            if pending.is_cancelled:
                event = pending.cancelled()
            elif pending.may_return and not pending.has_text:
                pending.may_return = False
                self._return(pending)
                return
            if isinstance(pending.command, LoadModel):
                self._wanted = None  # a model that ends the host is not loaded again by itself
            self._release(pending, event)
        pending.sink(event)

    def _return(self, pending: Pending) -> None:
        """Let a running request wait again; the lock is held."""
        self._running.remove(pending)
        pending.host = None
        pending.is_sent = False
        self._queue.put_back(pending)
        self._changed.notify_all()

    def _release(self, pending: Pending, event: Event) -> None:
        """Let the next request begin; the lock is held."""
        self._running.remove(pending)
        waiting = pending.waiting
        if waiting is not None and isinstance(event, Failed) and self._queue.remove(waiting):
            failed = Failed(waiting.command.request_id, event.code, event.facts)
            self._endings.append((waiting, failed))
        self._changed.notify_all()
