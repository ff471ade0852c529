"""What the store keeps of conversations; belongs to the store's thread."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from app.chat import answer_settings
from app.chat.kept import conversation_of, document_row_of, message_of, row_of
from app.chat.values import (
    AnswerSettings,
    Attachment,
    Conversation,
    ConversationState,
    Message,
    MessageKind,
    OpenedConversation,
    RunningSummary,
    SearchHit,
)
from app.documents import document as documents
from app.documents.document import ReadDocument
from app.errors import StoreDamaged, StoreFull
from app.store.conversations import ConversationRow, Conversations
from app.store.database import Database
from app.store.documents import Documents
from app.store.messages import MessageRow, Messages
from app.store.running_summaries import RunningSummaries, RunningSummaryRow
from app.store.search import search
from inference.errors import BadFrame, EmptyPrompt


class Archive:
    """Keeps conversations, messages and documents in an open database.

    Every method raises a `StoreError` for what the environment does.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._conversations = Conversations(database)
        self._messages = Messages(database)
        self._documents = Documents(database)
        self._summaries = RunningSummaries(database)
        self._growing: set[str] = set()
        self._early_settings: dict[str, AnswerSettings] = {}

    @property
    def database(self) -> Database:
        """What it is kept in, for what is no part of a conversation."""
        return self._database

    def settle(self) -> None:
        """Put in order what the last run left: answers cut off, and what was deleted for good.

        On a full disk it waits for the next start: what was kept can be read all the same.
        """
        with suppress(StoreFull), self._database.transaction():
            self._messages.interrupt()
            self._conversations.purge()
            self._documents.purge()

    def conversations(self) -> tuple[Conversation, ...]:
        """Return all that are not deleted, the one used last first."""
        return tuple(conversation_of(row) for row in self._conversations.all())

    def conversation(self, conversation_id: str) -> Conversation | None:
        """Return one conversation, or None where nothing of it was kept."""
        row = self._conversations.get(conversation_id)
        return conversation_of(row) if row else None

    def open(self, conversation_id: str) -> OpenedConversation:
        """Return a conversation with its messages; one that was never used is empty."""
        row = self._conversations.get(conversation_id)
        state = self.state(conversation_id)
        if row is None:
            nothing = Conversation(conversation_id, "", 0.0, 0.0)
            return OpenedConversation(nothing, (), settings=state.settings)
        messages = self.messages(conversation_id)
        summary = state.summary_for([message.id for message in messages])
        return OpenedConversation(
            conversation_of(row),
            messages,
            state.first_seen_id,
            state.settings,
            summary.text if summary else "",
        )

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """Return the messages that are shown, oldest first."""
        return self._with_documents(conversation_id, self._messages.of(conversation_id))

    def before(self, answer_id: str) -> tuple[Message, ...]:
        """Return what an answer answers: the messages shown before its place, oldest first."""
        rows = self._messages.before(answer_id)
        return self._with_documents(rows[0].conversation_id, rows) if rows else ()

    def state(self, conversation_id: str) -> ConversationState:
        """Return what decides how its next answer is made."""
        row = self._conversations.get(conversation_id)
        if row is None:
            settings = self._early_settings.get(conversation_id, AnswerSettings())
            return ConversationState(settings=settings)
        summaries = tuple(
            RunningSummary(kept.before_id, kept.text)
            for kept in self._summaries.of(conversation_id)
        )
        return ConversationState(row.first_seen_id, answer_settings.load(row.settings), summaries)

    def set_settings(self, conversation_id: str, settings: AnswerSettings) -> None:
        """Keep how answers are made; before the first question, in memory only."""
        row = self._conversations.get(conversation_id)
        if row is None:
            self._early_settings[conversation_id] = settings
            return
        kept = answer_settings.dump(settings, over=row.settings)
        self._conversations.set_settings(conversation_id, kept)

    def set_first_seen(self, conversation_id: str, message_id: str) -> None:
        """Keep where the model's view begins."""
        self._conversations.set_first_seen(conversation_id, message_id)

    def keep_summary(self, summary: RunningSummary) -> None:
        """Keep a running summary for when it is needed."""
        self._summaries.put(RunningSummaryRow(summary.before_id, summary.text))

    def drop_summaries_before(self, message_id: str) -> None:
        """Drop the running summaries that one up to `message_id` has taken the place of."""
        self._summaries.drop_before(message_id)

    def ask(self, question: Message, answer: Message, *, title: str, model_id: str) -> None:
        """Keep a question and the place of its answer; the first makes the conversation."""
        now_s = question.created_s
        with self._database.transaction():
            if self._conversations.get(question.conversation_id) is None:
                settings = self.state(question.conversation_id).settings
                self._conversations.add(
                    ConversationRow(
                        question.conversation_id,
                        title,
                        now_s,
                        now_s,
                        model_id,
                        settings=answer_settings.dump(settings),
                    )
                )
            self._conversations.restore(question.conversation_id)
            self._conversations.touch(question.conversation_id, updated_s=now_s, model_id=model_id)
            position = self._messages.next_position(question.conversation_id)
            self._messages.add(row_of(question, position))
            self._messages.add(row_of(answer, position + 1))
            self._documents.attach(question.id, [a.document_id for a in question.attachments])
        self._early_settings.pop(question.conversation_id, None)
        self._growing.add(answer.id)

    def answer_again(self, answer: Message) -> Message:
        """Keep the place of another version of the last answer, shown once it has any text.

        Raises:
            EmptyPrompt: There is no answer in the conversation.
        """
        with self._database.transaction():
            last = self._messages.last(answer.conversation_id)
            if last is None:
                raise EmptyPrompt
            version = replace(answer, kind=cast("MessageKind", last.kind))
            self._messages.add(row_of(version, last.position), shown=False)
            self._summaries.drop_after(last.id)
        self._growing.add(answer.id)
        return version

    def answer_on(self, answer: Message) -> Message:
        """Let an answer that ended too early grow again, in its place.

        Raises:
            EmptyPrompt: It is not the last of its conversation, or there is nothing to continue.
        """
        with self._database.transaction():
            last = self._messages.last(answer.conversation_id)
            found = None if last is None else self._as_it_is(message_of(last, ()))
            if found is None or found.id != answer.id or not found.can_go_on:
                raise EmptyPrompt
            self._messages.grow_on(answer.id)
            self._summaries.drop_after(answer.id)
        self._growing.add(answer.id)
        return found

    def write(self, answer_id: str, text: str, thought: str = "") -> None:
        """Keep what an answer, and what was thought before it, has grown to."""
        self._messages.write(answer_id, text, thought)

    def finish(self, answer: Message, *, updated_s: float, model_id: str) -> None:
        """Keep an answer that has ended."""
        self._growing.discard(answer.id)
        with self._database.transaction():
            self._messages.finish(row_of(answer, 0))
            self._conversations.touch(
                answer.conversation_id, updated_s=updated_s, model_id=model_id
            )

    def set_kind(self, message_ids: Sequence[str], kind: MessageKind) -> None:
        """Keep how an answer is made that began otherwise, for it and its question."""
        self._messages.set_kind(message_ids, kind)

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        self._conversations.rename(conversation_id, title)

    def delete(self, conversation_id: str, *, deleted_s: float) -> None:
        """Take a conversation out of sight until `restore`, or until the next start."""
        self._conversations.delete(conversation_id, deleted_s=deleted_s)

    def restore(self, conversation_id: str) -> None:
        """Undo `delete`."""
        self._conversations.restore(conversation_id)

    def search(self, query: str) -> tuple[SearchHit, ...]:
        """Return the messages that hold all words of `query`, the newest first."""
        return tuple(
            SearchHit(
                hit.conversation_id, hit.title, hit.message_id, hit.before, hit.match, hit.after
            )
            for hit in search(self._database, query)
        )

    def keep_document(
        self, document: ReadDocument, *, created_s: float, path: str = ""
    ) -> Attachment:
        """Keep a document that was read, for a message to carry; `path` is where its file is."""
        attachment = Attachment(
            uuid.uuid4().hex, document.name, document.size_bytes, document.report, path
        )
        self._documents.add(
            document_row_of(attachment), body=documents.dump(document), created_s=created_s
        )
        return attachment

    def document(self, document_id: str) -> ReadDocument:
        """Return a document that was kept.

        Raises:
            StoreDamaged: It is not there, or not as it was kept.
        """
        body = self._documents.body(document_id)
        if body is None:
            raise StoreDamaged
        try:
            return documents.load(body)
        except BadFrame as error:
            raise StoreDamaged from error

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _with_documents(
        self, conversation_id: str, rows: tuple[MessageRow, ...]
    ) -> tuple[Message, ...]:
        carried = self._documents.of(conversation_id)
        return tuple(self._as_it_is(message_of(row, carried.get(row.id, ()))) for row in rows)

    def _as_it_is(self, message: Message) -> Message:
        """Return `message`; what no turn of this run lets grow was cut off, whatever is kept."""
        if message.state == "streaming" and message.id not in self._growing:
            return replace(message, state="interrupted")
        return message
