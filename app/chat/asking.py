"""The two messages that a turn begins with: a question, and the place of its answer."""

import uuid

from app.chat.values import Attachment, Message, MessageKind


def new_question(
    conversation_id: str,
    *,
    created_s: float,
    text: str = "",
    kind: MessageKind = "chat",
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    """Return a question with an id of its own."""
    return Message(
        id=uuid.uuid4().hex,
        conversation_id=conversation_id,
        role="user",
        text=text,
        created_s=created_s,
        kind=kind,
        attachments=attachments,
    )


def new_answer(conversation_id: str, *, created_s: float, kind: MessageKind = "chat") -> Message:
    """Return an answer that has no text yet."""
    return Message(
        id=uuid.uuid4().hex,
        conversation_id=conversation_id,
        role="assistant",
        text="",
        created_s=created_s,
        state="streaming",
        kind=kind,
    )
