"""Brings pieces of text into the order in which a person reads them.

A page is cut along gutters with running text on both sides; what crosses a gutter, such as a title,
divides the columns into an upper and a lower part. Where one side holds no running text the gutter
belongs to a table or a form, which is read row by row.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from app.documents.ocr.pieces import Piece

_BINS = 400
_LEAST_PIECES = 3
_MOST_CROSSING = 0.25
_LEAST_GUTTER = 0.7
_LEAST_OVERLAP = 0.5
_TRIED_GUTTERS = 4
_SAME_ROW = 0.5
# Running text: rows that fill their column and hold some words.
_FILLED = 0.55
_ROW_CHARS = 14
# A Chinese, Japanese or Korean character stands for about two letters.
_WIDE_CHAR = "\u2e80"


@dataclass(frozen=True, slots=True)
class Box:
    """A piece as it would lie on a page that was put into the scanner straight; pixels."""

    left: float
    top: float
    right: float
    bottom: float
    piece: Piece

    @property
    def height(self) -> float:
        """Of the line, not of its frame."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Half-way between its upper and lower edge."""
        return (self.top + self.bottom) / 2


Row = tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that stand below each other.

    Attributes:
        is_column: The text of the section before it may go on here.
    """

    rows: tuple[Row, ...]
    is_column: bool


def arrange(pieces: Sequence[Piece]) -> list[Section]:
    """Return the pieces of a page in sections, in reading order."""
    return list(_split(_straightened(pieces), is_column=False))


def _straightened(pieces: Sequence[Piece]) -> list[Box]:
    slopes = sorted((slope, width) for slope, width in map(_slope, pieces))
    half = sum(width for _, width in slopes) / 2
    angle = 0.0
    for slope, width in slopes:
        half -= width
        angle = slope
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
        boxes.append(Box(x - width, y - height, x + width, y + height, piece))
    return boxes


def _slope(piece: Piece) -> tuple[float, float]:
    """Return the angle of a piece's upper edge, and its length, by which it counts."""
    (x0, y0), (x1, y1), *_ = piece.corners
    return math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)


def _split(boxes: list[Box], *, is_column: bool) -> Iterator[Section]:
    gutter = _gutter(boxes)
    if gutter is None:
        if boxes:
            yield Section(rows_of(boxes), is_column)
        return
    band: list[Box] = []
    across: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.middle):
        crosses = box.left < gutter < box.right
        if crosses and band:
            yield from _columns(band, gutter)
            band = []
        elif not crosses and across:
            yield Section(rows_of(across), is_column=False)
            across = []
        (across if crosses else band).append(box)
    yield from _columns(band, gutter)
    if across:
        yield Section(rows_of(across), is_column=False)


def _columns(band: list[Box], gutter: float) -> Iterator[Section]:
    yield from _split([box for box in band if box.right <= gutter], is_column=True)
    yield from _split([box for box in band if box.left >= gutter], is_column=True)


def _gutter(boxes: Sequence[Box]) -> float | None:
    """Return where the text is best cut from top to bottom, or None where it is one column."""
    if len(boxes) < 2 * _LEAST_PIECES:
        return None
    for gutter in _candidates(boxes)[:_TRIED_GUTTERS]:
        sides = (
            [box for box in boxes if box.right <= gutter],
            [box for box in boxes if box.left >= gutter],
        )
        if _stand_side_by_side(*sides) and all(map(_is_running_text, sides)):
            return gutter
    return None


def _candidates(boxes: Sequence[Box]) -> list[float]:
    """Return the middles of the gaps that few boxes cross, the best first."""
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    step = (right - left) / _BINS
    least_bins = _LEAST_GUTTER * median(box.height for box in boxes) / step if step else 0.0
    if not least_bins:
        return []
    places = [left + (index + 0.5) * step for index in range(_BINS)]
    crossing = [sum(box.left < place < box.right for box in boxes) for place in places]
    found = []
    start = 0
    for index in range(1, _BINS + 1):
        if index < _BINS and crossing[index] == crossing[start]:
            continue
        if crossing[start] <= _MOST_CROSSING * len(boxes) and index - start >= least_bins:
            found.append((crossing[start], start - index, places[(start + index) // 2]))
        start = index
    return [place for _, _, place in sorted(found)]


def _stand_side_by_side(first: Sequence[Box], second: Sequence[Box]) -> bool:
    if min(len(first), len(second)) < _LEAST_PIECES:
        return False
    tops = [min(box.top for box in side) for side in (first, second)]
    bottoms = [max(box.bottom for box in side) for side in (first, second)]
    common = min(bottoms) - max(tops)
    lower = min(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
    return common >= _LEAST_OVERLAP * lower


def _is_running_text(side: Sequence[Box]) -> bool:
    rows = rows_of(side)
    if len(rows) < _LEAST_PIECES:
        return False
    width = max(box.right for box in side) - min(box.left for box in side)
    filled = median(row[-1].right - row[0].left for row in rows)
    chars = median(sum(_letters(box.piece.text) for box in row) for row in rows)
    return filled >= _FILLED * width and chars >= _ROW_CHARS


def _letters(text: str) -> int:
    return sum(2 if char >= _WIDE_CHAR else 1 for char in text)


def rows_of(boxes: Sequence[Box]) -> tuple[Row, ...]:
    """Return boxes that stand on one line as one row, rows from the top, boxes from the left."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box.middle):
        last = rows[-1] if rows else []
        if last and all(_are_level(box, other) for other in last):
            last.append(box)
        else:
            rows.append([box])
    return tuple(tuple(sorted(row, key=lambda box: box.left)) for row in rows)


def _are_level(first: Box, second: Box) -> bool:
    common = min(first.bottom, second.bottom) - max(first.top, second.top)
    return common >= _SAME_ROW * min(first.height, second.height)
