"""Questions that are answered from passages, of a conversation's documents or of a library.

Every question on documents is, however short they are: a model that reads a document whole follows
what is written there (a file that said to answer with one word got that word), and nothing that it
says is checked. What is no question, such as a wish to have a letter written, is answered by the
model with the documents before it. A question that follows an answer from passages is put to the
same documents, with the words of the question before it where it leans on that.
"""

import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.chat.archive import Archive
from app.chat.document_work import DocumentWork
from app.chat.outcome import Outcome, failed, outcome_of_consulting
from app.chat.recorder import Recorder
from app.chat.side_work import SideWork
from app.chat.turn import Turn
from app.chat.values import Attachment, Message
from app.documents.document import ReadDocument
from app.documents.words import content_stems
from app.errors import AppError
from app.ports import TextGenerator
from inference.errors import InferenceError

if TYPE_CHECKING:
    from app.documents.asking import AskStage, DocumentAnswer

Post = Callable[[Callable[[], None]], object]

_QUESTION = re.compile(
    r"[?？]\s*$|^\W*(who|whom|whose|what|when|where|which|why|how|is|are|was|were|does|do|did|can|"
    r"may|must|should|has|have|wer|wen|wem|wessen|was|wann|wo|welche[rsnm]?|warum|wieso|wie|wieviel|"
    r"ist|sind|war|waren|hat|haben|kann|darf|muss|gilt|gibt)\b",
    re.IGNORECASE,
)
# "Can you make it shorter?" is a wish.
_WISH = re.compile(
    r"^\W*((can|could|would|will) you|please|(kannst|könntest|würdest) du|"
    r"(können|könnten) sie|bitte)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(r"^\W*(and|but|also|und|aber|auch|what about|how about)\b", re.IGNORECASE)
_FEWEST_STEMS = 3


class Consulting:
    """Begins such answers; its methods belong to the store's thread."""

    def __init__(
        self,
        archive: Callable[[], Archive],
        post: Post,
        *,
        recorder: Recorder,
        documents: DocumentWork,
        generator: TextGenerator,
        side_work: SideWork,
    ) -> None:
        self._archive = archive
        self._post = post
        self._recorder = recorder
        self._documents = documents
        self._generator = generator
        self._side_work = side_work

    def begin(self, turn: Turn, history: Sequence[Message]) -> None:
        """Answer what `history` ends with, on a thread of its own."""
        question = history[-1]
        asked = leaning_on(history)
        if question.kind == "library":
            self._start(turn, "library", lambda stop: self._ask_library(turn, asked, stop))
            return
        archive = self._archive()
        archive.set_kind((question.id, turn.answer_id), "ask")
        documents = [
            (each.document_id, archive.document(each.document_id)) for each in consulted(history)
        ]
        self._start(turn, "ask", lambda stop: self._ask(turn, documents, asked, stop))

    def _start(
        self, turn: Turn, kind: str, answer: "Callable[[threading.Event], DocumentAnswer]"
    ) -> None:
        cancelled = threading.Event()
        turn.set_stop(cancelled.set)
        turn.move_to("searching")
        self._side_work.start(
            kind, lambda: self._run(turn, kind, answer, cancelled), stop=cancelled.set
        )

    def _ask(
        self,
        turn: Turn,
        documents: Sequence[tuple[str, ReadDocument]],
        question: str,
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        return self._documents.ask(documents, question, on_stage=_teller(turn), cancelled=cancelled)

    def _ask_library(
        self, turn: Turn, question: str, cancelled: threading.Event
    ) -> "DocumentAnswer":
        return self._documents.ask_library(question, on_stage=_teller(turn), cancelled=cancelled)

    def _run(
        self,
        turn: Turn,
        kind: str,
        answer: "Callable[[threading.Event], DocumentAnswer]",
        cancelled: threading.Event,
    ) -> None:
        from app.documents.answer_text import answer_markdown  # noqa: PLC0415 - as in walled_documents

        outcome = Outcome("failed", error_code="internal", error_facts={"kind": kind})
        started_s = time.monotonic()
        try:
            found = answer(cancelled)
            text, citations = answer_markdown(found)
            turn.show(text, "writing")
            outcome = outcome_of_consulting(
                found,
                citations,
                self._generator.device,
                kind="library" if kind == "library" else "ask",
                seconds=time.monotonic() - started_s,
            )
        except (AppError, InferenceError) as error:
            outcome = failed(error)
        finally:
            self._post(lambda: self._recorder.end(turn, outcome))


def consulted(history: Sequence[Message]) -> tuple[Attachment, ...]:
    """Return the documents that the last question is put to: its own, else those asked before."""
    question = history[-1]
    if question.attachments:
        return question.attachments
    found: dict[str, Attachment] = {}
    for message in history:
        if message.kind == "ask" and message.role == "user":
            found.update({each.document_id: each for each in message.attachments})
    return tuple(found.values())


def goes_to_documents(history: Sequence[Message]) -> bool:
    """Tell whether the last question is answered from passages."""
    question = history[-1]
    if question.kind in ("ask", "library"):
        return True
    if question.kind != "chat" or not is_question(question.text):
        return False
    if question.attachments:
        return True
    last = next((each for each in reversed(history) if each.role == "assistant"), None)
    return last is not None and last.kind == "ask" and bool(consulted(history))


def is_question(text: str) -> bool:
    """Tell a question from a wish to have something written."""
    text = text.strip()
    return _QUESTION.search(text) is not None and _WISH.search(text) is None


def leaning_on(history: Sequence[Message]) -> str:
    """Return the last question, after the one before it where it says too little alone."""
    question = history[-1]
    kind = "library" if question.kind == "library" else "ask"
    before = [
        message.text
        for message in history[:-1]
        if message.role == "user" and message.kind == kind and message.text
    ]
    is_short = len(set(content_stems(question.text))) < _FEWEST_STEMS
    if before and (is_short or _LEANS.search(question.text)):
        return f"{before[-1]} {question.text}"
    return question.text


def _teller(turn: Turn) -> "Callable[[AskStage, int, int], None]":
    def tell(stage: "AskStage", done: int, total: int) -> None:
        turn.move_to(stage, done, total)

    return tell
