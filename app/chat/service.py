"""Conversations for whoever talks to a model: the window, the command line, later an API.

Every method returns at once. One thread owns the store and does one thing after the other; what
takes seconds (a model, a document) runs elsewhere and reports to it.
"""

import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.chat.answering import Answering
from app.chat.asking import new_answer, new_question
from app.chat.attaching import AttachJob
from app.chat.briefing import Briefing
from app.chat.consulting import Consulting
from app.chat.document_work import DocumentWork
from app.chat.fences import Fences
from app.chat.lanes import Lanes
from app.chat.last_answers import LastAnswers
from app.chat.recorder import Recorder
from app.chat.serial import SerialThread
from app.chat.shelf import Shelf
from app.chat.side_work import SideWork
from app.chat.summarizing import Summarizing
from app.chat.tending import Tending
from app.chat.turn import Turn
from app.chat.values import (
    AnswerSettings,
    Attachment,
    ContextUse,
    Conversation,
    Message,
    OpenedConversation,
    SearchHit,
)
from app.documents.document import ReadDocument
from app.documents.options import SummaryOptions
from app.models.installed import TaskName
from app.ports import Clock, TextGenerator
from app.store.database import Database

COMMIT_INTERVAL_S = 0.5
CLOSING_S = 3.0

T = TypeVar("T")


class ChatService:
    """The conversations and their turns; all methods may be called from any thread.

    Futures end with a `StoreError` where the store cannot be opened, read or written. It is opened
    with the first thing that needs it, and tried again with the next where that failed.

    Args:
        open_database: Opens the store; called on the service's own thread.
        generator: Its `default_sampling` is how answers are drawn where a conversation's own
            settings say nothing.
        use_for: Called on the service's own thread before an answer begins, so that the model that
            a person gave to this kind of task is used.
    """

    def __init__(
        self,
        open_database: Callable[[], Database],
        generator: TextGenerator,
        documents: DocumentWork,
        clock: Clock,
        *,
        commit_interval_s: float = COMMIT_INTERVAL_S,
        use_for: Callable[[TaskName], None] = lambda _: None,
    ) -> None:
        self._shelf = Shelf(open_database)
        self._archive = self._shelf.archive
        self._generator = generator
        self._documents = documents
        self._clock = clock
        self._lanes = Lanes()
        self._side_work = SideWork()
        self._last_answers = LastAnswers()
        self._recorder = Recorder(
            self._archive,
            clock,
            on_ending=self._on_ending,
            on_ended=self._on_ended,
        )
        self._serial = SerialThread(
            "chat",
            beat=self._recorder.commit,
            is_beating=self._recorder.is_recording,
            beat_s=commit_interval_s,
        )
        fences = Fences(self._archive)
        self._briefing = Briefing(generator, fences.of)
        self._tending = Tending(
            self._archive,
            self._serial.post,
            lanes=self._lanes,
            generator=generator,
            briefing=self._briefing,
        )
        self._summarizing = Summarizing(
            self._archive,
            self._serial.post,
            recorder=self._recorder,
            documents=documents,
            generator=generator,
            side_work=self._side_work,
        )
        consulting = Consulting(
            self._archive,
            self._serial.post,
            recorder=self._recorder,
            documents=documents,
            generator=generator,
            side_work=self._side_work,
        )
        self._answering = Answering(
            self._archive,
            self._serial.post,
            lanes=self._lanes,
            recorder=self._recorder,
            briefing=self._briefing,
            generator=generator,
            summarizing=self._summarizing,
            consulting=consulting,
            use_for=use_for,
        )

    def conversations(self) -> Future[tuple[Conversation, ...]]:
        """Return all conversations, the one used last first."""
        return self._serial.submit(lambda: self._archive().conversations())

    def search(self, query: str) -> Future[tuple[SearchHit, ...]]:
        """Return the messages that hold all words of `query`, the newest first."""
        return self._serial.submit(lambda: self._archive().search(query))

    def open(self, conversation_id: str) -> Future[OpenedConversation]:
        """Return a conversation with its messages; `turns` has those that still grow."""

        def read() -> OpenedConversation:
            opened = self._archive().open(conversation_id)
            self._last_answers.note_opened(opened.messages)
            return opened

        return self._serial.submit(read)

    def with_database(self, do: Callable[[Database], T]) -> Future[T]:
        """Run `do` on the thread that owns the store, in its turn; cancelled once this is closed.

        For what is kept beside conversations; `do` must be short, because answers wait for it.
        """
        return self._serial.submit(lambda: do(self._archive().database))

    def new_id(self) -> str:
        """Return an id for a new conversation; nothing is kept until something is sent."""
        return uuid.uuid4().hex

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns under way in a conversation: the running one, then those that wait."""
        return self._lanes.of(conversation_id)

    def send(
        self, conversation_id: str, text: str, attachments: tuple[Attachment, ...] = ()
    ) -> Turn:
        """Ask `text`; a second question waits until the first is answered."""
        question = new_question(
            conversation_id, created_s=self._clock.now_s(), text=text, attachments=attachments
        )
        return self._ask(conversation_id, question)

    def summarize(
        self,
        conversation_id: str,
        attachments: tuple[Attachment, ...],
        options: SummaryOptions | None = None,
    ) -> Turn:
        """Ask for a summary of each of these documents, and of several a joint one as well."""
        question = new_question(
            conversation_id,
            created_s=self._clock.now_s(),
            kind="summary",
            attachments=attachments,
        )
        self._summarizing.wish(question.id, options or SummaryOptions())
        return self._ask(conversation_id, question)

    def ask_library(self, conversation_id: str, text: str) -> Turn:
        """Ask `text` of the folders that are indexed; answered from their passages."""
        question = new_question(
            conversation_id, created_s=self._clock.now_s(), text=text, kind="library"
        )
        return self._ask(conversation_id, question)

    def regenerate(self, conversation_id: str) -> Turn:
        """Ask for another answer to the last question; the one that is there goes out of sight."""
        return self._ask(conversation_id, None)

    def continue_answer(self, conversation_id: str) -> Turn:
        """Let the last answer go on where it ended too early: the turn has its id and its text.

        That is an answer that hit its limit, and as well one that was stopped or cut off, since a
        person who continues it wants the rest. Asked twice, it returns the turn that runs. Where
        there is nothing to continue, or nobody has opened the conversation since the start, it ends
        with `EmptyPrompt`.
        """
        answer = self._last_answers.of(conversation_id)
        if answer is None:
            return self._ask(conversation_id, None, goes_on=True)
        turn = Turn(replace(answer, state="streaming"), goes_on=True)
        found = self._lanes.add_if_free(turn)
        if found.goes_on:
            return found if found is not turn else self._begin(turn)
        return self._ask(conversation_id, None, goes_on=True)

    def answer_settings(self, conversation_id: str) -> Future[AnswerSettings]:
        """Return how the answers of a conversation are made."""
        return self._serial.submit(lambda: self._archive().state(conversation_id).settings)

    def set_answer_settings(self, conversation_id: str, settings: AnswerSettings) -> Future[None]:
        """Make the answers of a conversation otherwise, from the next one on.

        Before the first question they are remembered, and kept together with it.
        """

        def keep() -> None:
            self._archive().set_settings(conversation_id, settings)
            if settings.overflow != "summarize":
                self._tending.leave(conversation_id)
            self._tending.rest(conversation_id)

        return self._serial.submit(keep)

    def warm(
        self, conversation_id: str, draft: str = "", attachments: tuple[Attachment, ...] = ()
    ) -> None:
        """Have the model read ahead what sending `draft` would send; never blocks.

        For when a conversation is opened, when typing pauses, when a document was attached and when
        a model is ready. One conversation is kept warm at a time, after its answers too, until
        `cool`; nothing is read ahead while a turn of it runs or no model is loaded.
        """
        self._tending.warm(conversation_id, draft, attachments)

    def cool(self) -> None:
        """End what `warm` began; never blocks."""
        self._tending.cool()

    def attach(
        self,
        conversation_id: str,  # noqa: ARG002
        path: Path,
        *,
        password: str | None = None,
    ) -> AttachJob:
        """Read a file and keep its text, so that a message of the conversation can carry it.

        Until a message does, it belongs to none, and is gone at the next start.
        """
        job = AttachJob(path, password)
        self._side_work.start(
            "attach",
            lambda: job.run(self._documents, partial(self._keep_document, path)),
            stop=job.stop,
        )
        return job

    def document(self, document_id: str) -> Future[ReadDocument]:
        """Return a document as it was read; for looking at it."""
        return self._serial.submit(lambda: self._archive().document(document_id))

    def rename(self, conversation_id: str, title: str) -> Future[None]:
        """Give a conversation another title."""
        return self._serial.submit(lambda: self._archive().rename(conversation_id, title.strip()))

    def delete(self, conversation_id: str) -> Future[None]:
        """Stop what runs in a conversation and take it out of sight; `undo_delete` brings it back.

        What is deleted is removed for good at the next start.
        """
        for turn in self._lanes.of(conversation_id):
            turn.cancel()
        self._tending.cool(conversation_id)
        self._generator.drop_session(conversation_id)
        now_s = self._clock.now_s()

        def delete() -> None:
            self._tending.leave(conversation_id)
            self._archive().delete(conversation_id, deleted_s=now_s)

        return self._serial.submit(delete)

    def undo_delete(self, conversation_id: str) -> Future[None]:
        """Bring back a conversation that was deleted since the start."""
        return self._serial.submit(lambda: self._archive().restore(conversation_id))

    def context_use(
        self, conversation_id: str, draft: str, attachments: tuple[Attachment, ...] = ()
    ) -> Future[ContextUse]:
        """Return how full the model's window would be with `draft` as the next question."""
        question = new_question(conversation_id, created_s=0.0, text=draft, attachments=attachments)

        def measure() -> ContextUse:
            archive = self._archive()
            history = archive.messages(conversation_id)
            return self._briefing.measure((*history, question), archive.state(conversation_id))

        return self._serial.submit(measure)

    def close(self) -> None:
        """Stop what runs, keep what it has written, close the store; waits for seconds at most."""
        self._side_work.stop()
        self._serial.post(self._tending.close)
        turns = self._lanes.all()
        for turn in turns:
            turn.cancel()
        for turn in turns:
            turn.wait(CLOSING_S)
        self._side_work.join(CLOSING_S)
        self._serial.post(self._close_archive)
        self._serial.close()

    def _ask(
        self, conversation_id: str, question: Message | None, *, goes_on: bool = False
    ) -> Turn:
        answer = new_answer(
            conversation_id,
            created_s=self._clock.now_s(),
            kind=question.kind if question else "chat",
        )
        turn = Turn(answer, question, goes_on=goes_on)
        self._lanes.add(turn)
        return self._begin(turn)

    def _begin(self, turn: Turn) -> Turn:
        def take() -> None:
            self._tending.begin(turn.conversation_id)
            self._answering.take(turn)

        if not self._serial.post(take):
            self._lanes.remove(turn)
            turn.end(replace(turn.answer, state="cancelled"))
        return turn

    def _on_ending(self, turn: Turn, answer: Message) -> None:
        # Before the turn ends: who waited for it may ask for more of it at once.
        if turn.is_kept:
            self._last_answers.note_ending(turn, answer)
        self._lanes.remove(turn)

    def _on_ended(self, turn: Turn) -> None:
        self._answering.advance(turn.conversation_id)
        self._tending.rest(turn.conversation_id)

    def _keep_document(self, path: Path, document: ReadDocument) -> Future[Attachment]:
        now_s = self._clock.now_s()
        # Other bytes than UTF-8 in a path cannot be kept; then the file is not found again.
        kept = str(path.absolute()).encode("utf-8", "replace").decode()
        return self._serial.submit(
            lambda: self._archive().keep_document(document, created_s=now_s, path=kept)
        )

    def _close_archive(self) -> None:
        self._recorder.interrupt_all()
        self._shelf.close()
