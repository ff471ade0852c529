"""Has the model complete one prompt and waits for it."""

import queue
import threading
from collections.abc import Callable

from app.documents.usage import Usage
from app.ports import TextGenerator
from inference.errors import Cancelled, from_code
from inference.types import ChatMessage, Event, Failed, Finished, Lane, Sampling, TextDelta

_POLL_S = 0.1


class Completing:
    """Completes prompts greedily in one session, one after the other.

    Attributes:
        usage: Tokens of all prompts so far.
    """

    def __init__(
        self,
        generator: TextGenerator,
        *,
        session_id: str,
        cancelled: threading.Event,
        lane: Lane = "interactive",
    ) -> None:
        self.usage = Usage()
        self._generator = generator
        self._session_id = session_id
        self._cancelled = cancelled
        self._lane: Lane = lane

    def complete(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        most_tokens: int,
        has_enough: Callable[[str], bool],
    ) -> str:
        """Return the answer up to where `has_enough` says so; blocks.

        Raises:
            InferenceError: The model failed.
            Cancelled: `cancelled` was set.
        """
        if self._cancelled.is_set():
            raise Cancelled
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        handle = self._generator.submit(
            messages,
            session_id=self._session_id,
            sampling=Sampling(temperature=0.0, top_p=1.0, top_k=0, max_new_tokens=most_tokens),
            sink=events.put,
            lane=self._lane,
            drafts=True,
        )
        text = ""
        is_stopped = False
        while True:
            try:
                event: Event | None = events.get(timeout=_POLL_S)
            except queue.Empty:
                event = None
            if isinstance(event, TextDelta) and event.channel == "answer":
                text += event.text
            elif isinstance(event, Finished):
                self.usage = self.usage.plus(event)
                break
            elif isinstance(event, Failed):
                raise from_code(event.code, event.facts)
            if not is_stopped and (self._cancelled.is_set() or has_enough(text)):
                handle.cancel()
                is_stopped = True
        if self._cancelled.is_set():
            raise Cancelled
        return text.strip()
