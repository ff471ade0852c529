"""Between what the store keeps and the values of a conversation; belongs to the store's thread."""

import json
import uuid
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from app.chat.values import (
    AnswerMetrics,
    Attachment,
    Conversation,
    Message,
    MessageKind,
    MessageState,
    OpenedConversation,
    SearchHit,
)
from app.documents import document as documents
from app.documents.document import ReadDocument
from app.documents.values import IntakeReport
from app.errors import StoreDamaged, StoreFull
from app.store.conversations import ConversationRow, Conversations
from app.store.database import Database
from app.store.documents import DocumentRow, Documents
from app.store.messages import MessageRow, Messages
from app.store.search import search
from inference.errors import BadFrame, EmptyPrompt
from inference.frames import Codec

if TYPE_CHECKING:
    from inference.types import Role

_CODEC = Codec((AnswerMetrics, IntakeReport))


class Archive:
    """Keeps conversations, messages and documents in an open database.

    Every method raises a `StoreError` for what the environment does.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._conversations = Conversations(database)
        self._messages = Messages(database)
        self._documents = Documents(database)
        self._growing: set[str] = set()

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
        return tuple(_conversation(row) for row in self._conversations.all())

    def conversation(self, conversation_id: str) -> Conversation | None:
        """Return one conversation, or None where nothing of it was kept."""
        row = self._conversations.get(conversation_id)
        return _conversation(row) if row else None

    def open(self, conversation_id: str) -> OpenedConversation:
        """Return a conversation with its messages; one that was never used is empty."""
        row = self._conversations.get(conversation_id)
        if row is None:
            return OpenedConversation(Conversation(conversation_id, "", 0.0, 0.0), ())
        return OpenedConversation(
            _conversation(row), self.messages(conversation_id), row.first_seen_id
        )

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """Return the messages that are shown, oldest first."""
        return self._with_documents(conversation_id, self._messages.of(conversation_id))

    def before(self, answer_id: str) -> tuple[Message, ...]:
        """Return what an answer answers: the messages shown before its place, oldest first."""
        rows = self._messages.before(answer_id)
        return self._with_documents(rows[0].conversation_id, rows) if rows else ()

    def first_seen_id(self, conversation_id: str) -> str:
        """Return the oldest message the model sees, or empty while it sees all."""
        row = self._conversations.get(conversation_id)
        return row.first_seen_id if row else ""

    def set_first_seen(self, conversation_id: str, message_id: str) -> None:
        """Keep where the model's view begins."""
        self._conversations.set_first_seen(conversation_id, message_id)

    def ask(self, question: Message, answer: Message, *, title: str, model_id: str) -> None:
        """Keep a question and the place of its answer; the first makes the conversation."""
        now_s = question.created_s
        with self._database.transaction():
            if self._conversations.get(question.conversation_id) is None:
                self._conversations.add(
                    ConversationRow(question.conversation_id, title, now_s, now_s, model_id)
                )
            self._conversations.restore(question.conversation_id)
            self._conversations.touch(question.conversation_id, updated_s=now_s, model_id=model_id)
            position = self._messages.next_position(question.conversation_id)
            self._messages.add(_row(question, position))
            self._messages.add(_row(answer, position + 1))
            self._documents.attach(question.id, [a.document_id for a in question.attachments])
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
            self._messages.add(_row(version, last.position), shown=False)
        self._growing.add(answer.id)
        return version

    def write(self, answer_id: str, text: str) -> None:
        """Keep what an answer has grown to."""
        self._messages.write(answer_id, text)

    def finish(self, answer: Message, *, updated_s: float, model_id: str) -> None:
        """Keep an answer that has ended."""
        self._growing.discard(answer.id)
        with self._database.transaction():
            self._messages.finish(_row(answer, 0))
            self._conversations.touch(
                answer.conversation_id, updated_s=updated_s, model_id=model_id
            )

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

    def keep_document(self, document: ReadDocument, *, created_s: float) -> Attachment:
        """Keep a document that was read, for a message to carry."""
        attachment = Attachment(
            uuid.uuid4().hex, document.name, document.size_bytes, document.report
        )
        self._documents.add(
            DocumentRow(
                attachment.document_id,
                attachment.name,
                attachment.size_bytes,
                _CODEC.encode(attachment.report).decode(),
            ),
            body=documents.dump(document),
            created_s=created_s,
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
        return tuple(self._as_it_is(_message(row, carried.get(row.id, ()))) for row in rows)

    def _as_it_is(self, message: Message) -> Message:
        """Return `message`; what no turn of this run lets grow was cut off, whatever is kept."""
        if message.state == "streaming" and message.id not in self._growing:
            return replace(message, state="interrupted")
        return message


def _conversation(row: ConversationRow) -> Conversation:
    return Conversation(row.id, row.title, row.created_s, row.updated_s, row.model_id)


def _row(message: Message, position: int) -> MessageRow:
    metrics = _CODEC.encode(message.metrics).decode() if message.metrics else None
    return MessageRow(
        id=message.id,
        conversation_id=message.conversation_id,
        position=position,
        role=message.role,
        kind=message.kind,
        state=message.state,
        text=message.text,
        created_s=message.created_s,
        metrics=metrics,
        error_code=message.error_code,
        error_facts=json.dumps(message.error_facts),
    )


def _message(row: MessageRow, carried: tuple[DocumentRow, ...]) -> Message:
    return Message(
        id=row.id,
        conversation_id=row.conversation_id,
        role=cast("Role", row.role),
        text=row.text,
        created_s=row.created_s,
        state=cast("MessageState", row.state),
        kind=cast("MessageKind", row.kind),
        attachments=tuple(_attachment(document) for document in carried),
        metrics=_metrics(row.metrics),
        error_code=row.error_code,
        error_facts=json.loads(row.error_facts) if row.error_code else {},
    )


def _metrics(kept: str | None) -> AnswerMetrics | None:
    """Return the measurements; those of another version that do not fit are not worth an error."""
    if kept is None:
        return None
    try:
        metrics: AnswerMetrics = _CODEC.decode(kept.encode())
    except BadFrame:
        return None
    return metrics


def _attachment(row: DocumentRow) -> Attachment:
    report: IntakeReport = _CODEC.decode(row.report.encode())
    return Attachment(row.id, row.name, row.size_bytes, report)
