"""What was recognized in a picture before it is a text: pieces with their corners."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Corner = tuple[float, float]

_TALL = 1.5
# A line as long as it is high holds about two letters. A Chinese or Japanese one is as wide as two.
_LETTERS_A_HEIGHT = 2.0
_WIDE_CHAR = "\u2e80"
# In a script that the models do not know they find only what looks like something else.
_FEW_LETTERS = 1.25
_DOUBTFUL = 0.92


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text, or a part of one.

    Attributes:
        corners: In pixels, clockwise from the upper left as the picture lies.
        score: How sure the recognition is, 0 to 1.
    """

    corners: tuple[Corner, ...]
    text: str
    score: float

    @property
    def is_tall(self) -> bool:
        """It runs up or down, and was turned to be recognized."""
        across, down = self._edges
        return down >= _TALL * across

    @property
    def _edges(self) -> tuple[float, float]:
        first, second, third, _ = self.corners
        return math.dist(first, second), math.dist(second, third)

    @property
    def letters(self) -> int:
        """How many there are, spaces left out; a wide character counts as two."""
        return sum(2 if char >= _WIDE_CHAR else 1 for char in self.text if not char.isspace())

    @property
    def room(self) -> float:
        """How many letters there is room for."""
        return _LETTERS_A_HEIGHT * max(self._edges) / max(self.line_height, 1.0)

    @property
    def line_height(self) -> float:
        """Pixels across the line, however it runs."""
        return min(self._edges)

    @property
    def is_legible(self) -> bool:
        """It is not for the most part in a script that the models do not know."""
        is_sparse = self.letters * _LETTERS_A_HEIGHT < _FEW_LETTERS * self.room
        return not is_sparse or self.score >= _DOUBTFUL

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Its left, top, right and bottom edge in pixels."""
        across, down = zip(*self.corners, strict=True)
        return min(across), min(down), max(across), max(down)


def confidence(pieces: Sequence[Piece]) -> float:
    """Return how sure the recognition of a page is, 0 to 1: the mean of its letters.

    What is not legible counts as letters that were not recognized.
    """
    sure = letters = 0.0
    for piece in pieces:
        if piece.is_legible:
            sure += piece.score * piece.letters
            letters += piece.letters
        else:
            letters += piece.room
    return sure / letters if letters else 0.0
