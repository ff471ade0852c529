"""The events of one request as a queue: for whoever wants to wait or to poll.

`put` is the sink that a generator is given; it never blocks, so the client's reader never does.
"""

import time
from collections.abc import Iterator
from queue import Empty, SimpleQueue

from inference.errors import from_code
from inference.types import Channel, Event, Failed, Finished, LastEvent, TextDelta, is_last


class Stream:
    """Collects what a request sends. One thread reads it; any thread may `put`."""

    def __init__(self) -> None:
        self._inbox: SimpleQueue[Event] = SimpleQueue()
        self._pieces: dict[Channel, list[str]] = {"answer": [], "thought": []}
        self._last: LastEvent | None = None

    @property
    def text(self) -> str:
        """The answer as far as it has been read from the queue."""
        return "".join(self._pieces["answer"])

    @property
    def thought(self) -> str:
        """What the model thought before it, as far as it has been read from the queue."""
        return "".join(self._pieces["thought"])

    def put(self, event: Event) -> None:
        """Hand over an event."""
        self._inbox.put(event)

    def poll(self) -> list[Event]:
        """Return what has arrived since the last call, without waiting."""
        events = []
        while (event := self._take(0)) is not None:
            events.append(event)
        return events

    def __iter__(self) -> Iterator[Event]:
        """Yield every event until the last, waiting for each."""
        while self._last is None:
            event = self._take(None)
            assert event is not None  # noqa: S101 - a wait without a limit ends with an event
            yield event

    def wait(self, timeout_s: float | None = None) -> LastEvent:
        """Wait for the last event and return it; what is still in the queue is read on the way.

        Raises:
            InferenceError: The request failed.
            TimeoutError: The end did not come in time.
        """
        ends_s = None if timeout_s is None else time.monotonic() + timeout_s
        while self._last is None:
            left_s = None if ends_s is None else max(0.0, ends_s - time.monotonic())
            if self._take(left_s) is None:
                raise TimeoutError
        if isinstance(self._last, Failed):
            raise from_code(self._last.code, self._last.facts)
        return self._last

    def result(self, timeout_s: float | None = None) -> Finished:
        """Wait for the end of an answer, as `wait` does."""
        finished = self.wait(timeout_s)
        assert isinstance(finished, Finished)  # noqa: S101 - how every answer ends
        return finished

    def _take(self, timeout_s: float | None) -> Event | None:
        try:
            event = self._inbox.get(timeout_s != 0, timeout_s)
        except Empty:
            return None
        if isinstance(event, TextDelta):
            self._pieces[event.channel].append(event.text)
        elif is_last(event):
            self._last = event
        return event
