"""What choosing hands to whoever words a summary: sentences with their place and their passage."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """One chosen sentence.

    Attributes:
        text: As it stands in the document.
        shown: The same without what only makes sense on its page.
        page: The 1-based unit it stands on.
        section: Title of its main section, or empty.
        heading: The nearest heading before it, or empty.
        passage: It and its neighbors on the same page under the same heading, in order; empty
            where nothing may be written from it, because code said all there is to say.
        cells: The range of cells it stands in, or empty.
        score: What ranking gave it, to be compared with others of the same document.
        row: What stands beside the sentence where the style is a table: see `Statement.row`.
        computed: Numbers in `shown` that code counted and that need not stand on the page.
    """

    text: str
    shown: str
    page: int
    section: str
    heading: str
    passage: tuple[str, ...]
    cells: str = ""
    score: float = 0.0
    row: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """What every page of a document came to before any model saw it.

    Attributes:
        title: From its first page, its properties or its name.
        language: Such as `en`, or `?`.
        sections: Titles of the main sections that hold text, in order.
        evidence: In the order of the document.
        sentence_count: Sentences found on all pages.
        left_out: How many lines and sentences were put aside, by reason.
        figures: Sentences with numbers, chosen or not, to be compared with other documents.
    """

    title: str
    language: str
    sections: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    sentence_count: int
    left_out: dict[str, int]
    figures: tuple[Evidence, ...] = ()
