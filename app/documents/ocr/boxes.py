"""Pieces of text as they would lie on a page that was put into the scanner straight."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.ocr.pieces import Piece


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels with the pieces in it, from the left."""

    left: float
    top: float
    right: float
    bottom: float
    pieces: tuple[Piece, ...]

    @property
    def height(self) -> float:
        """From its upper to its lower edge."""
        return self.bottom - self.top

    @property
    def width(self) -> float:
        """From its left to its right edge."""
        return self.right - self.left

    @property
    def middle(self) -> float:
        """Half-way between its upper and lower edge."""
        return (self.top + self.bottom) / 2

    @property
    def center(self) -> float:
        """Half-way between its left and right edge."""
        return (self.left + self.right) / 2

    def common_width(self, other: "Box") -> float:
        """Return how far two stand above each other; negative is the gap between them."""
        return min(self.right, other.right) - max(self.left, other.left)

    def common_height(self, other: "Box") -> float:
        """Return how far two stand beside each other; negative is the gap between them."""
        return min(self.bottom, other.bottom) - max(self.top, other.top)

    def is_level_with(self, other: "Box") -> bool:
        """Tell whether both stand on one line."""
        return self.common_height(other) >= min(self.height, other.height) / 2


def around(boxes: Sequence[Box]) -> Box:
    """Return the rectangle round some, with their pieces in the same order."""
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
        tuple(piece for box in boxes for piece in box.pieces),
    )


def straightened(pieces: Sequence[Piece]) -> list[Box]:
    """Return a box for each piece, turned by the slope that most of the text has."""
    slopes = sorted(map(_slope, pieces))
    half = sum(width for _, width in slopes) / 2
    angle = 0.0
    for angle, width in slopes:  # noqa: B007 - the median is where half of the width is reached
        half -= width
        if half <= 0:
            break
    cos, sin = math.cos(-angle), math.sin(-angle)
    boxes = []
    for piece in pieces:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = piece.corners
        x, y = (x0 + x1 + x2 + x3) / 4, (y0 + y1 + y2 + y3) / 4
        x, y = x * cos - y * sin, x * sin + y * cos
        width = math.hypot(x1 - x0, y1 - y0) / 2
        height = math.hypot(x2 - x1, y2 - y1) / 2
        boxes.append(Box(x - width, y - height, x + width, y + height, (piece,)))
    return boxes


def _slope(piece: Piece) -> tuple[float, float]:
    """Return the angle of a piece's upper edge, and its length, by which it counts."""
    (x0, y0), (x1, y1), *_ = piece.corners
    return math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
