"""Ending the step that the model's thread is in, from the thread that reads the pipe."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from inference.engine.protocol import Engine
from inference.urgency import Urgency

_AGAIN_S = 0.01
_TRIES = 50


class Interrupter:
    """Knows which step is under way, and has the engine end it early."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._step: tuple[Engine, Urgency] | None = None

    @contextmanager
    def step(self, engine: Engine, urgency: Urgency) -> Iterator[None]:
        """Run a step under this; the thread that owns the engine."""
        with self._changed:
            self._step = (engine, urgency)
        try:
            yield
        finally:
            with self._changed:
                self._step = None
                self._changed.notify_all()

    def interrupt(self, least: Urgency) -> None:
        """End the step under way, where it is of `least` urgency or less urgent still.

        Any thread. A call that comes before the engine computes does nothing, so it is repeated
        until the step is over, but not for ever: not every engine can be interrupted.
        """
        with self._changed:
            step = self._step
        if step is None or step[1] < least:
            return
        for _ in range(_TRIES):
            step[0].interrupt()
            with self._changed:
                if self._changed.wait_for(lambda: self._step is not step, _AGAIN_S):
                    return
