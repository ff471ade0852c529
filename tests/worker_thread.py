"""A real worker on a thread of its own, with the events of each request apart."""

import threading
import time
from collections.abc import Callable

from inference.types import Command, Event, is_last
from inference.worker import Worker

WAIT_S = 60.0


class WorkerThread:
    """Runs a worker; `events` holds what it said, in order and by request."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self.events: list[Event] = []
        self.worker = Worker(self._take)
        self._thread = threading.Thread(target=self.worker.run, daemon=True)
        self._thread.start()

    def put(self, *commands: Command) -> None:
        for command in commands:
            self.worker.put(command)

    def of(self, request_id: int) -> list[Event]:
        with self._changed:
            return [event for event in self.events if event.request_id == request_id]

    def wait(self, request_id: int) -> Event:
        """Return the last event of a request."""
        return self.wait_for(request_id, is_last)

    def wait_for(self, request_id: int, is_it: Callable[[Event], bool]) -> Event:
        """Return the first event of a request that `is_it`."""

        def found() -> Event | None:
            return next((event for event in self.of(request_id) if is_it(event)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None, WAIT_S)
            event = found()
        assert event is not None, self.order()
        return event

    def order(self) -> list[tuple[int, str]]:
        """Return (request, kind of event), runs of the same taken together."""
        with self._changed:
            pairs = [(event.request_id, type(event).__name__) for event in self.events]
        return [pair for index, pair in enumerate(pairs) if index == 0 or pair != pairs[index - 1]]

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Look again and again; for what no event tells."""
        ends_s = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < ends_s
            threading.Event().wait(0.005)

    def close(self) -> None:
        self.worker.close()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def _take(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()
