"""What is known of a document: values that reader, summariser, chat and window share."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["page", "slide", "sheet", "section"]


@dataclass(frozen=True, slots=True)
class IntakeReport:
    """What was found in a document before anything reached a model.

    Attributes:
        total: Units of the document.
        read: Units that were looked at; less than `total` only where reading was stopped.
        without_text: Units that hold no text, such as scanned pages; nothing of them was read.
        unreadable: Units whose text layer is garbage: more than a quarter symbols.
        words: Words in the text that was read.
    """

    unit: Unit
    total: int
    read: int
    without_text: int
    unreadable: int
    words: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a document a summary rests on, computed by code."""

    unit: Unit
    total: int
    read: int
    ocr: int
    without_text: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of a summary.

    Attributes:
        text: As shown.
        page: The 1-based unit that its evidence stands on.
        heading: The main section it belongs to, or empty.
        evidence: The sentence chosen, in the document's own words.
        written: True where the model wrote `text`; False where it is the document's own sentence.
    """

    text: str
    page: int
    heading: str
    evidence: str
    written: bool
