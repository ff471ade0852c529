"""Where a person reads in an answer, found again after some of it was replaced."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or another piece of an answer.

    Attributes:
        top_px: Where it begins, from the top of the answer.
    """

    text: str
    top_px: int


@dataclass(frozen=True, slots=True)
class ReadingPlace:
    """A place in an answer: a block, and how far below its top.

    Attributes:
        number: The block's place among all of them, from 0.
    """

    text: str
    number: int
    offset_px: int


def place_at(blocks: Sequence[Block], y_px: int) -> ReadingPlace | None:
    """Return the place at a height, or None above the first block."""
    above = list(takewhile(lambda block: block.top_px <= y_px, blocks))
    if not above:
        return None
    return ReadingPlace(above[-1].text, len(above) - 1, y_px - above[-1].top_px)


def find(blocks: Iterable[Block], place: ReadingPlace) -> int | None:
    """Return the height of a place: in the block of the same text, or in the one of its number."""
    numbered = list(enumerate(blocks))
    if not numbered:
        return None
    same = [each for each in numbered if each[1].text == place.text]
    _, block = min(same or numbered, key=lambda each: abs(each[0] - place.number))
    return block.top_px + place.offset_px
