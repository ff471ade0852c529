"""What crosses the pipe between the program and the process that recognizes text."""

from dataclasses import dataclass, field
from typing import Literal

from app.documents.document import Line
from inference.errors import Fact
from inference.frames import Codec

# Part of the key of what is kept: another engine, or another way to use it, reads otherwise.
ENGINE = "rapidocr-3.10.0/1"

Skipped = Literal["", "time", "memory", "crash", "damaged"]


@dataclass(frozen=True, slots=True)
class RecognizePages:
    """Recognize the text of pages of one file.

    Attributes:
        path: As `app.documents.frames.wire_path` writes it.
        pages: Their numbers, from 1, in the order in which they are wanted.
        memory_bytes: Address space the child may use, where the system can limit it.
        threads: For the operators of the models.
    """

    path: str
    password: str | None
    pages: tuple[int, ...]
    memory_bytes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The models are loaded and the file is open."""


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """What was recognized in the picture of a page.

    Attributes:
        number: Of the page, from 1.
        lines: In reading order, each with its box; none where there is no text, or none that can
            be relied on.
        confidence: Mean of the characters, 0 to 1.
        reason: Why the page was skipped, or empty.
    """

    number: int
    lines: tuple[Line, ...]
    confidence: float
    reason: Skipped = ""


@dataclass(frozen=True, slots=True)
class AllRecognized:
    """Every page was sent."""


@dataclass(frozen=True, slots=True)
class RecognizingFailed:
    """Nothing can be recognized: a code of `app.errors` and its facts."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


OCR_COMMANDS = Codec((RecognizePages,))
OCR_EVENTS = Codec((Ready, RecognizedPage, AllRecognized, RecognizingFailed))


def dump(page: RecognizedPage) -> bytes:
    """Return a page as bytes that can be kept."""
    return OCR_EVENTS.encode(page)


def load(kept: bytes) -> RecognizedPage:
    """Return the page that `dump` made into bytes.

    Raises:
        BadFrame: They are not from `dump`.
    """
    page: RecognizedPage = OCR_EVENTS.decode(kept)
    return page
