"""The pieces an answer is cut into."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "table", "code", "plain"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an answer that one widget shows.

    The sources of all segments, joined, are the answer.

    Attributes:
        kind: `plain` is what lies beyond the limit of what is laid out as Markdown.
        source: The Markdown it came from, line ends and blank lines after it included.
        html: Of prose and tables: the restricted HTML, without scripts, images or styles.
        text: Of code and plain text: what to show.
        language: Of code: the first word of its fence, or empty.
        is_closed: False for code whose closing fence has not come.
        blocks: How many blocks of Markdown it holds.
        next_number: The number of the next item, where it ends in an item of a numbered list.
        delimiter: What stands after the numbers of that list.
    """

    kind: Kind
    source: str
    html: str = ""
    text: str = ""
    language: str = ""
    is_closed: bool = True
    blocks: int = 1
    next_number: int | None = None
    delimiter: str = ""
