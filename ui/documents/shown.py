"""A document as the panel lists it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.chat.values import Attachment

State = Literal["waiting", "reading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One row of the panel.

    Attributes:
        key: Tells documents apart, also those that are still being read.
        path: Where its file was, or None where that is not known.
        attachment: Once it was read.
        text: What is said about it while it is read, or why it could not be.
        is_draft: Whether it goes with the next question and can be taken out.
    """

    key: str
    name: str
    state: State
    path: Path | None = None
    attachment: Attachment | None = None
    text: str = ""
    is_draft: bool = False
