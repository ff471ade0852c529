"""What was recognized in a picture before it is a text: pieces with their corners."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Corner = tuple[float, float]

_TALL = 1.5


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
        (x0, y0), (x1, y1), (x2, y2), _ = self.corners
        return math.hypot(x2 - x1, y2 - y1) >= _TALL * math.hypot(x1 - x0, y1 - y0)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Its left, top, right and bottom edge in pixels."""
        across, down = zip(*self.corners, strict=True)
        return min(across), min(down), max(across), max(down)


def confidence(pieces: Sequence[Piece]) -> float:
    """Return how sure the recognition of a page is, 0 to 1: the mean of its characters."""
    chars = sum(len(piece.text) for piece in pieces)
    return sum(piece.score * len(piece.text) for piece in pieces) / chars if chars else 0.0
