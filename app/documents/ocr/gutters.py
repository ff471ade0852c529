"""Finds two tables or lists that stand beside each other.

They look like one table, but down the gap between them nearly nothing crosses, and the rows of each
are long enough to be read by themselves.
"""

from collections.abc import Sequence
from statistics import median

from app.documents.ocr.boxes import Box

_BINS = 400
_LEAST_ROWS = 5
_MOST_CROSSING = 0.1
_LEAST_GUTTER = 0.7
_LEAST_OVERLAP = 0.5
_TRIED = 4
_FILLED = 0.55
_ROW_CHARS = 14


def split_at_gutters(boxes: Sequence[Box]) -> list[list[Box]]:
    """Return the boxes in groups that are read one after the other, from the left."""
    for gutter in _candidates(boxes)[:_TRIED]:
        sides = (
            [box for box in boxes if box.center <= gutter],
            [box for box in boxes if box.center > gutter],
        )
        if all(map(_stands_alone, sides)) and _stand_side_by_side(*sides):
            return [group for side in sides for group in split_at_gutters(side)]
    return [list(boxes)]


def _candidates(boxes: Sequence[Box]) -> list[float]:
    """Return the middles of the gaps that few boxes cross, the best first."""
    if len(boxes) < 2 * _LEAST_ROWS:
        return []
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    step = max((right - left) / _BINS, 1e-6)
    least_bins = _LEAST_GUTTER * median(box.height for box in boxes) / step
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


def _stands_alone(side: Sequence[Box]) -> bool:
    rows: list[list[Box]] = []
    for box in sorted(side, key=lambda box: box.middle):
        if rows and all(box.is_level_with(other) for other in rows[-1]):
            rows[-1].append(box)
        else:
            rows.append([box])
    if len(rows) < _LEAST_ROWS:
        return False
    width = max(box.right for box in side) - min(box.left for box in side)
    filled = median(max(box.right for box in row) - min(box.left for box in row) for row in rows)
    chars = median(sum(len(piece.text) for box in row for piece in box.pieces) for row in rows)
    return filled >= _FILLED * width and chars >= _ROW_CHARS


def _stand_side_by_side(first: Sequence[Box], second: Sequence[Box]) -> bool:
    tops = [min(box.top for box in side) for side in (first, second)]
    bottoms = [max(box.bottom for box in side) for side in (first, second)]
    common = min(bottoms) - max(tops)
    lower = min(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
    return common >= _LEAST_OVERLAP * lower
