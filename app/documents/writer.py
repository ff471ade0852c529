"""Asks the model in use for single sentences, greedily, and stops it after the first."""

import queue
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from app.documents.checking import is_looping
from app.documents.evidence import Evidence
from app.documents.jobs import JobPrompts
from app.documents.progress import WrittenSoFar
from app.documents.prompts import Prompts
from app.documents.sentences import split
from app.documents.usage import Usage
from app.ports import Handle, TextGenerator
from inference.errors import Cancelled, from_code
from inference.types import ChatMessage, Event, Failed, Finished, Sampling, TextDelta

_POLL_S = 0.1
# Questions with the model at once: the one it answers, and the next.
_AHEAD = 2
# "The passage states that …" says what "…" says; German would need another order of words.
_INTRODUCTION = re.compile(r"^The (?:passage|text) (?:states|says|explains|notes),? that (.)")


class Writer:
    """Writes in one language for one summary.

    There is one session for each kind of question, and it outlives the summary: the instructions
    and examples stay in its KV cache, and are read once for any number of documents.

    All methods block, and raise `Cancelled` once `cancelled` is set, or an InferenceError when the
    model fails.
    """

    def __init__(
        self,
        generator: TextGenerator,
        prompts: Prompts,
        *,
        cancelled: threading.Event,
        seed: int = 0,
        written: WrittenSoFar | None = None,
    ) -> None:
        """`written` has what an earlier run was told, and takes what this one is."""
        self.usage = Usage()
        self._written = written
        self._generator = generator
        self._prompts = prompts
        self._cancelled = cancelled
        self._sampling = Sampling(temperature=0.0, top_p=1.0, top_k=0, seed=seed)

    def main_points(self, title: str, evidence: Sequence[Evidence]) -> Generator[str]:
        """Yield one sentence on the passage of each, in order; empty where none came.

        The next one is asked for while one is written, so that the engine never waits for us.
        """
        left = iter(evidence)
        asked = deque(self._ask_point(title, each) for each in islice(left, _AHEAD))
        try:
            while asked:
                sentence = self._answer(asked.popleft())
                asked.extend(self._ask_point(title, each) for each in islice(left, 1))
                yield sentence
        finally:
            for each in asked:
                each.cancel()

    def sentence_on(self, title: str, section: str, passage: tuple[str, ...]) -> str:
        """Return one sentence on `passage`; empty when none came."""
        return self._answer(self._ask_passage(title, section, passage))

    def about(self, title: str, points: tuple[str, ...]) -> str:
        """Return one sentence on the document that `points` were taken from."""
        messages = self._prompts.about(title, points)
        return self._answer(self._ask("about", messages, self._prompts.about_tokens))

    def do(self, prompts: JobPrompts, text: str) -> str:
        """Return what the model makes of `text` in another job; empty where it loops."""
        asked = self._ask(
            prompts.job.key,
            prompts.messages(text),
            prompts.most_tokens,
            schema=prompts.schema,
            has_enough=is_looping,
        )
        answer = self._answer(asked)
        return "" if is_looping(answer) else answer.strip()

    def _ask_point(self, title: str, evidence: Evidence) -> "_Asked":
        return self._ask_passage(title, evidence.heading or evidence.section, evidence.passage)

    def _ask_passage(self, title: str, section: str, passage: tuple[str, ...]) -> "_Asked":
        messages = self._prompts.passage(title, section, passage)
        return self._ask("passage", messages, self._prompts.passage_tokens)

    def _ask(
        self,
        kind: str,
        messages: tuple[ChatMessage, ...],
        most_tokens: int,
        *,
        schema: str = "",
        has_enough: Callable[[str], bool] | None = None,
    ) -> "_Asked":
        if self._cancelled.is_set():
            raise Cancelled
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        known = self._written.get(messages) if self._written else None
        if known is not None:
            return _Asked(None, events, messages, has_enough, known)
        handle = self._generator.submit(
            messages,
            session_id=f"summary-{kind}-{self._prompts.language}",
            sampling=replace(self._sampling, max_new_tokens=most_tokens),
            sink=events.put,
            lane="batch",
            drafts=not schema,
            schema=schema,
        )
        return _Asked(handle, events, messages, has_enough)

    def _answer(self, asked: "_Asked") -> str:
        if asked.known is not None:
            return asked.known
        answer = self._hear(asked)
        answer = answer if asked.has_enough else first_sentence(answer)
        if self._written:
            self._written.put(asked.messages, answer)
        return answer

    def _hear(self, asked: "_Asked") -> str:
        """Return what the model says, up to where there is enough of it."""
        has_enough = asked.has_enough or _has_enough
        text = ""
        is_stopped = False
        while True:
            event = asked.next()
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, Finished):
                self.usage = self.usage.plus(event)
                break
            elif isinstance(event, Failed):
                raise from_code(event.code, event.facts)
            if not is_stopped and (self._cancelled.is_set() or has_enough(text)):
                asked.cancel()
                is_stopped = True
        if self._cancelled.is_set():
            raise Cancelled
        return text


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question under way, or one whose answer is known."""

    handle: Handle | None
    events: "queue.SimpleQueue[Event]"
    messages: tuple[ChatMessage, ...]
    has_enough: Callable[[str], bool] | None
    known: str | None = None

    def next(self) -> Event | None:
        """Wait a little for the next event."""
        try:
            return self.events.get(timeout=_POLL_S)
        except queue.Empty:
            return None

    def cancel(self) -> None:
        """Let the model stop, if it was asked at all."""
        if self.handle is not None:
            self.handle.cancel()


def first_sentence(text: str) -> str:
    """Return the first sentence of an answer, without what only introduces it."""
    line = text.strip().partition("\n")[0]
    sentence = next(split(line), "")
    return _INTRODUCTION.sub(lambda found: found[1].upper(), sentence)


def _has_enough(text: str) -> bool:
    started = text.lstrip()
    return "\n" in started or len(list(split(started))) > 1 or is_looping(started)
