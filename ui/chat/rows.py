"""What the view knows of one message."""

from dataclasses import dataclass
from typing import Literal

from app.chat.values import Message, Stage

Fold = Literal["thought", "summary"]


@dataclass(frozen=True, slots=True)
class Row:
    """A message as it stands in the list.

    Attributes:
        stage: What is going on with an answer that grows; `done` for everything else.
        done: Of `total`, in what the stage counts; a total of 0 is unknown.
        is_first_seen: The model sees nothing that stands above this message.
        summary: What the model is told instead of what stands above, where `is_first_seen`.
        unfolded: What of it is unfolded.
        is_last: No message comes after it.
        number: Its place in the conversation, from 1.
        count: Messages in the conversation.
    """

    message: Message
    stage: Stage = "done"
    done: int = 0
    total: int = 0
    is_first_seen: bool = False
    summary: str = ""
    unfolded: frozenset[Fold] = frozenset()
    is_last: bool = False
    number: int = 1
    count: int = 1
