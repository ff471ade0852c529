"""Asks the model in use for single sentences, greedily, and stops it after the first."""

import queue
import re
import threading
from dataclasses import replace

from app.documents.checking import is_looping
from app.documents.evidence import Evidence
from app.documents.prompts import Prompts
from app.documents.sentences import split
from app.documents.usage import Usage
from app.ports import TextGenerator
from inference.errors import Cancelled, from_code
from inference.types import ChatMessage, Event, Failed, Finished, Sampling, TextDelta

_POLL_S = 0.1
# "The passage states that …" says what "…" says; German would need another order of words.
_INTRODUCTION = re.compile(r"^The (?:passage|text) (?:states|says|explains|notes),? that (.)")


class Writer:
    """Writes in one language for one summary; its session keeps the examples in the cache.

    All methods block, and raise `Cancelled` once `cancelled` is set, or an InferenceError when the
    model fails.
    """

    def __init__(
        self,
        generator: TextGenerator,
        prompts: Prompts,
        *,
        session_id: str,
        cancelled: threading.Event,
        seed: int = 0,
    ) -> None:
        self.usage = Usage()
        self._generator = generator
        self._prompts = prompts
        self._session_id = session_id
        self._cancelled = cancelled
        self._sampling = Sampling(temperature=0.0, top_p=1.0, top_k=0, seed=seed)

    def main_point(self, title: str, evidence: Evidence) -> str:
        """Return one sentence on the passage of `evidence`; empty when none came."""
        section = evidence.heading or evidence.section
        return self.sentence_on(title, section, evidence.passage)

    def sentence_on(self, title: str, section: str, passage: tuple[str, ...]) -> str:
        """Return one sentence on `passage`; empty when none came."""
        messages = self._prompts.passage(title, section, passage)
        return self._ask(messages, self._prompts.passage_tokens)

    def about(self, title: str, points: tuple[str, ...]) -> str:
        """Return one sentence on the document that `points` were taken from."""
        return self._ask(self._prompts.about(title, points), self._prompts.about_tokens)

    def close(self) -> None:
        """Give back the session's cache."""
        self._generator.drop_session(self._session_id)

    def _ask(self, messages: tuple[ChatMessage, ...], most_tokens: int) -> str:
        if self._cancelled.is_set():
            raise Cancelled
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        handle = self._generator.submit(
            messages,
            session_id=self._session_id,
            sampling=replace(self._sampling, max_new_tokens=most_tokens),
            sink=events.put,
            lane="batch",
            drafts=True,
        )
        text = ""
        is_stopped = False
        while True:
            event = self._next(events)
            if isinstance(event, TextDelta):
                text += event.text if event.channel == "answer" else ""
            elif isinstance(event, Finished):
                self.usage = self.usage.plus(event)
                break
            elif isinstance(event, Failed):
                raise from_code(event.code, event.facts)
            if not is_stopped and (self._cancelled.is_set() or _has_enough(text)):
                handle.cancel()
                is_stopped = True
        if self._cancelled.is_set():
            raise Cancelled
        return first_sentence(text)

    @staticmethod
    def _next(events: "queue.SimpleQueue[Event]") -> Event | None:
        try:
            return events.get(timeout=_POLL_S)
        except queue.Empty:
            return None


def first_sentence(text: str) -> str:
    """Return the first sentence of an answer, without what only introduces it."""
    line = text.strip().partition("\n")[0]
    sentence = next(split(line), "")
    return _INTRODUCTION.sub(lambda found: found[1].upper(), sentence)


def _has_enough(text: str) -> bool:
    started = text.lstrip()
    return "\n" in started or len(list(split(started))) > 1 or is_looping(started)
