"""Fakes shared by the tests: small, real behavior, no mocks.

`FakeGenerator` stands where the model runner stands. It answers on a thread of its own, one request
after the other, as the real one does, and nothing in it depends on time: either an answer runs
through at once, or it is held and the test lets out one word after the other. `FakeDocuments`
stands where the document process and the summarizer stand.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType

from app.documents.ability import AbilityBook
from app.documents.asking import Asker, AskStage, DocumentAnswer
from app.documents.document import Line, Page, ReadDocument
from app.documents.intake import IntakeProgress
from app.documents.options import SummaryOptions
from app.documents.retrieval import DocumentIndex, IndexedDocument
from app.documents.summarizer import Summaries
from app.documents.summary import Summary, SummaryView, coverage_of
from app.documents.values import IntakeReport, Statement
from app.ports import Handle
from inference.errors import Cancelled, InferenceError
from inference.types import (
    ChatMessage,
    DeviceChoice,
    Event,
    Failed,
    Finished,
    FinishReason,
    Lane,
    PrefillProgress,
    Sampling,
    TextDelta,
)

STORE_KEY = bytes(range(32))
FAKE_DEVICE = DeviceChoice(kind="cpu", provider="CPUExecutionProvider", name="Fake CPU")
_TEMPLATE_TOKENS = 4


class FakeClock:
    """Time that stands still until a test moves it."""

    def __init__(self, now_s: float = 1_700_000_000.0) -> None:
        self._now_s = now_s

    def now_s(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds


@dataclass(slots=True)
class FakeRequest:
    """One request as the generator got it, and how far it has come."""

    request_id: int
    messages: tuple[ChatMessage, ...]
    session_id: str
    sampling: Sampling
    lane: Lane
    drafts: bool
    sink: Callable[[Event], None] = field(repr=False)
    continues: bool = False
    schema: str = ""
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class _Script:
    words: tuple[str, ...]
    failure: InferenceError | None = None
    thought: tuple[str, ...] = ()


def _nothing(_event: Event) -> None:
    """Take an event that nobody waits for."""


class _FakeHandle:
    def __init__(self, generator: "FakeGenerator", request: FakeRequest) -> None:
        self._generator = generator
        self._request = request

    def cancel(self) -> None:
        self._generator.cancel(self._request)


class FakeGenerator:
    """Answers as told; without being told it repeats the last message.

    What was asked on the batch lane waits until nothing is left on the other.

    Tokens are words, plus four a message for the template. `hold()` stops before the next word,
    `step(n)` lets n words out and waits until they have been handed over, `release()` lets
    everything run. `say` and `fail` script the next requests, first come first served.

    Attributes:
        requests: Every request so far, oldest first.
        prefilled: What was to be computed ahead, oldest first; `cancelled` where it was ended.
        dropped: Sessions that were given back.
    """

    def __init__(self, *, context_tokens: int = 4096, model_id: str = "fake") -> None:
        self.requests: list[FakeRequest] = []
        self.prefilled: list[FakeRequest] = []
        self.dropped: list[str] = []
        self.default_sampling = Sampling()
        self.model_id = model_id
        self.device: DeviceChoice | None = FAKE_DEVICE
        self.context_tokens = context_tokens
        self._scripts: dict[Lane, deque[_Script]] = {"interactive": deque(), "batch": deque()}
        self._queue: deque[tuple[FakeRequest, _Script]] = deque()
        self._changed = threading.Condition()
        self._held = False
        self._allowed = 0
        self._given = 0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="fake-generator", daemon=True)
        self._thread.start()

    def __enter__(self) -> "FakeGenerator":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def say(self, text: str, *, thought: str = "", lane: Lane = "interactive") -> None:
        """Answer one of the next requests with `text`, word by word, spaces and line ends kept."""
        self._scripts[lane].append(_Script(_words(text), thought=_words(thought)))

    def fail(self, error: InferenceError, *, after: str = "", lane: Lane = "interactive") -> None:
        """Let one of the next requests fail once `after` has been said."""
        self._scripts[lane].append(_Script(_words(after), error))

    def hold(self) -> None:
        """Stop before the next word of this and every later answer."""
        with self._changed:
            self._held = True
            self._allowed = self._given

    def step(self, words: int = 1, *, timeout_s: float = 10.0) -> None:
        """Let `words` words out of a held answer and return when the sink has them."""
        with self._changed:
            self._allowed += words
            target = self._allowed
            self._changed.notify_all()
            if not self._changed.wait_for(lambda: self._given >= target, timeout_s):
                raise TimeoutError("the answer has no more words")

    def release(self) -> None:
        """Let everything run on."""
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def wait_for_requests(self, count: int, *, timeout_s: float = 10.0) -> None:
        """Return when `count` requests have come."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came")

    def count_tokens(self, messages: tuple[ChatMessage, ...]) -> int:
        return sum(_TEMPLATE_TOKENS + len(message.content.split()) for message in messages)

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sampling: Sampling,
        sink: Callable[[Event], None],
        lane: Lane = "interactive",
        drafts: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        with self._changed:
            number = len(self.requests) + 1
            request = FakeRequest(
                number,
                messages,
                session_id,
                sampling,
                lane,
                drafts,
                sink,
                continues=continues,
                schema=schema,
            )
            scripts = self._scripts[lane]
            script = scripts.popleft() if scripts else _echo(messages)
            self.requests.append(request)
            self._queue.append((request, script))
            self._changed.notify_all()
        return _FakeHandle(self, request)

    def prefill(self, messages: tuple[ChatMessage, ...], *, session_id: str) -> Handle:
        request = FakeRequest(
            0, messages, session_id, self.default_sampling, "batch", drafts=False, sink=_nothing
        )
        self.prefilled.append(request)
        return _FakeHandle(self, request)

    def drop_session(self, session_id: str) -> None:
        self.dropped.append(session_id)

    def cancel(self, request: FakeRequest) -> None:
        """Let `request` end before its next word."""
        with self._changed:
            request.cancelled = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread; what was asked and not answered stays without an answer."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    return
                entry = next((one for one in self._queue if one[0].lane != "batch"), self._queue[0])
                self._queue.remove(entry)
            request, script = entry
            self._answer(request, script)

    def _answer(self, request: FakeRequest, script: _Script) -> None:
        prompt_tokens = self.count_tokens(request.messages)
        if not request.cancelled:
            request.sink(PrefillProgress(request.request_id, prompt_tokens, prompt_tokens))
        said = 0
        pieces = [TextDelta(request.request_id, word, "thought") for word in script.thought]
        pieces += [TextDelta(request.request_id, word) for word in script.words]
        for piece in pieces[: request.sampling.max_new_tokens]:
            if not self._may_go_on(request):
                break
            request.sink(piece)
            said += 1
            with self._changed:
                self._given += 1
                self._changed.notify_all()
        if self._closed:
            return
        if script.failure is not None and not request.cancelled:
            request.sink(Failed(request.request_id, script.failure.code, script.failure.facts))
            return
        request.sink(_finished(request, prompt_tokens, said, script))

    def _may_go_on(self, request: FakeRequest) -> bool:
        """Wait until the next word may go out; False once the request is cancelled or all ends."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    not self._held
                    or self._given < self._allowed
                    or request.cancelled
                    or self._closed
                )
            )
            return not (request.cancelled or self._closed)


class FakeDocuments:
    """Reads plain text files, a page a form feed, and takes each page's text for a summary.

    `hold()` stops before the next page or step until `step` or `release`; `fail` lets the next
    piece of work end with an error. `passwords` are those that files were read with, and
    `options` what was wished of summaries, `questions` what was asked of documents.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held = False
        self._allowed = 0
        self._errors: deque[Exception] = deque()
        self.passwords: list[str | None] = []
        self.options: list[SummaryOptions] = []
        self.questions: list[str] = []

    def fail(self, error: Exception) -> None:
        self._errors.append(error)

    def hold(self) -> None:
        with self._changed:
            self._held = True
            self._allowed = 0

    def step(self, count: int = 1) -> None:
        with self._changed:
            self._allowed += count
            self._changed.notify_all()

    def release(self) -> None:
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def read(
        self,
        path: Path,
        *,
        on_progress: Callable[[IntakeProgress], None],
        cancelled: threading.Event,
        password: str | None = None,
    ) -> ReadDocument:
        self.passwords.append(password)
        if self._errors:
            raise self._errors.popleft()
        texts = path.read_text(encoding="utf-8").split("\f")
        pages = []
        for number, text in enumerate(texts, 1):
            self._pass(cancelled)
            pages.append(Page(number, tuple(Line(line) for line in text.splitlines())))
            on_progress(IntakeProgress("reading", number, len(texts)))
        return ReadDocument(
            name=path.name,
            size_bytes=path.stat().st_size,
            sha256="0" * 64,
            kind="text",
            title="",
            report=IntakeReport(
                unit="page",
                total=len(pages),
                read=len(pages),
                without_text=0,
                unreadable=0,
                words=sum(len(text.split()) for text in texts),
            ),
            pages=tuple(pages),
        )

    def ask(
        self,
        documents: Sequence[tuple[str, ReadDocument]],
        question: str,
        *,
        on_stage: Callable[[AskStage, int, int], None],
        cancelled: threading.Event,
    ) -> DocumentAnswer:
        """Find passages as the program does; no model is asked."""
        if self._errors:
            raise self._errors.popleft()
        self.questions.append(question)
        index = DocumentIndex([IndexedDocument(one, document) for one, document in documents])
        asker = Asker(None, AbilityBook(Path(), str))
        return asker.ask(question, index.retrieve(question), cancelled=cancelled)

    def ask_library(
        self,
        question: str,
        *,
        on_stage: Callable[[AskStage, int, int], None],
        cancelled: threading.Event,
    ) -> DocumentAnswer:
        return self.ask([], question, on_stage=on_stage, cancelled=cancelled)

    def summarize(
        self,
        documents: Sequence[ReadDocument],
        *,
        options: SummaryOptions,
        on_update: Callable[[int, SummaryView], None],
        cancelled: threading.Event,
    ) -> Summaries:
        self.options.append(options)
        each = []
        for index, document in enumerate(documents):
            tell = partial(on_update, index)
            each.append(self._summary(document, tell, cancelled))
        if self._errors:
            raise self._errors.popleft()
        joint = replace(each[0], name="", note="summary_joint") if len(each) > 1 else None
        return Summaries(tuple(each), joint)

    def _summary(
        self,
        document: ReadDocument,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
    ) -> Summary:
        total = len(document.pages)
        summary = Summary(
            name=document.name,
            title=document.name,
            language="en",
            about="",
            sections=(),
            statements=(),
            coverage=coverage_of(document),
        )
        for page in document.pages:
            try:
                self._pass(cancelled)
            except Cancelled:
                if not summary.statements:
                    raise
                return replace(summary, note="summary_stopped")
            statement = Statement(page.text, page.number, "", page.text, written=False)
            summary = replace(summary, statements=(*summary.statements, statement))
            on_update(SummaryView("choosing", page.number, total, summary))
        return summary

    def _pass(self, cancelled: threading.Event) -> None:
        with self._changed:
            while self._held and not self._allowed and not cancelled.is_set():
                self._changed.wait(0.01)
            self._allowed = max(0, self._allowed - 1)
        if cancelled.is_set():
            raise Cancelled


def _words(text: str) -> tuple[str, ...]:
    """Split into words that keep the white space after them, so that joining gives `text` back."""
    words: list[str] = []
    for character in text:
        starts_word = not character.isspace() and (not words or words[-1][-1].isspace())
        if starts_word or not words:
            words.append(character)
        else:
            words[-1] += character
    return tuple(words)


def _echo(messages: Sequence[ChatMessage]) -> _Script:
    return _Script(_words(f"You said: {messages[-1].content}"))


def _finished(request: FakeRequest, prompt_tokens: int, said: int, script: _Script) -> Finished:
    thought_tokens = min(said, len(script.thought))
    reason: FinishReason = "stop"
    if request.cancelled:
        reason = "cancelled"
    elif said < len(script.thought) + len(script.words):
        reason = "length"
    return Finished(
        request_id=request.request_id,
        reason=reason,
        prompt_tokens=prompt_tokens,
        cached_tokens=0,
        generated_tokens=said,
        ttft_s=0.05,
        prefill_s=0.04,
        decode_s=0.1 * said,
        peak_bytes=1_000_000,
        thought_tokens=thought_tokens,
        thought_s=0.1 * thought_tokens,
    )
