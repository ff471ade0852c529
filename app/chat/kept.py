"""Rows of the store as values of a conversation, and back."""

import json
from typing import TYPE_CHECKING, cast

from app.chat.values import (
    AnswerMetrics,
    Attachment,
    Conversation,
    Message,
    MessageKind,
    MessageState,
)
from app.documents.values import Citation, IntakeReport
from app.store.conversations import ConversationRow
from app.store.documents import DocumentRow
from app.store.messages import MessageRow
from inference.errors import BadFrame
from inference.frames import Codec

if TYPE_CHECKING:
    from inference.types import Role

_CODEC = Codec((AnswerMetrics, IntakeReport, Citation))


def conversation_of(row: ConversationRow) -> Conversation:
    """Return a conversation without its messages."""
    return Conversation(row.id, row.title, row.created_s, row.updated_s, row.model_id)


def message_of(row: MessageRow, carried: tuple[DocumentRow, ...]) -> Message:
    """Return a message with the documents it carries."""
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
        thought=row.thought,
        thought_s=row.thought_s,
        citations=_citations(row.citations),
    )


def row_of(message: Message, position: int) -> MessageRow:
    """Return the row of a message at its place in the conversation."""
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
        thought=message.thought,
        thought_s=message.thought_s,
        citations="\n".join(_CODEC.encode(each).decode() for each in message.citations),
    )


def document_row_of(attachment: Attachment) -> DocumentRow:
    """Return the row of a document without its text."""
    return DocumentRow(
        attachment.document_id,
        attachment.name,
        attachment.size_bytes,
        _CODEC.encode(attachment.report).decode(),
        attachment.path,
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
    return Attachment(row.id, row.name, row.size_bytes, report, row.path)


def _citations(kept: str) -> tuple[Citation, ...]:
    """Return the citations; those of another version that do not fit are not worth an error."""
    try:
        return tuple(_CODEC.decode(line.encode()) for line in kept.split("\n") if line)
    except BadFrame:
        return ()
