"""Brings pieces of text into the order in which a person reads them.

Lines that follow each other and belong to nothing else are a block. A block of full lines is
running text. Whatever is not, such as the cells of a table, is read row by row. Blocks are read
from the top, and one beside another first if it stands to the left, unless something between them
goes across both, as a heading over two columns does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from app.documents.ocr.boxes import Box, around, straightened
from app.documents.ocr.gutters import split_at_gutters
from app.documents.ocr.pieces import Piece

# In heights of a line.
_NEXT_LINE_GAP = 1.0
_ROW_GAP = 30.0
_MARK_GAP = 4.0
_MARK_CHARS = 4
_ALIKE = 1.5
# Running text: most lines are nearly as long as the longest, and hold some words.
_FULL = 0.75
_MOST_LINES = 0.6
_LEAST_LINES = 3
_LINE_LETTERS = 18
_ABOVE_EACH_OTHER = 0.1
_MOST_BLOCKS = 200
# A line that runs along the margin is worth a line only where it was read well.
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that stand below each other.

    Attributes:
        is_running: It is running text; its last sentence may go on in the next block.
    """

    rows: tuple[Box, ...]
    is_running: bool


def arrange(pieces: Sequence[Piece]) -> list[Block]:
    """Return the pieces of a page, whose lines run to the right, in blocks in reading order."""
    level = [piece for piece in pieces if not piece.is_tall or len(piece.text) == 1]
    lines = straightened(level)
    running: list[list[Box]] = []
    loose: list[Box] = []
    for chain in _chains(lines):
        if _is_running_text(chain):
            running.append(chain)
        else:
            loose += chain
    loose = _without_marks(loose, running)
    frames = [around(chain) for chain in running]
    blocks = [Block(tuple(chain), is_running=True) for chain in running]
    groups = split_at_gutters(loose)
    for group in groups:
        rows = _rows(group, frames)
        # Of tables beside each other each is a whole, though its rows may not follow closely.
        whole = [sorted(rows, key=lambda row: row.middle)]
        chains = whole if len(groups) > 1 else _chains(rows)
        blocks += [Block(tuple(chain), is_running=False) for chain in chains]
    margin = [piece for piece in pieces if piece not in level and piece.score >= _SURE]
    return [*_ordered(blocks), *(_along_the_margin(piece) for piece in margin)]


def _along_the_margin(piece: Piece) -> Block:
    left, top, right, bottom = piece.bounds
    # It is as high as its letters, however it stands.
    row = Box(left, top, right, top + min(right - left, bottom - top), (piece,))
    return Block((row,), is_running=False)


def _chains(lines: Sequence[Box]) -> Iterator[list[Box]]:
    """Yield the lines in chains, in each of which one is the only one below the other."""
    below = [_neighbors(line, lines, is_below=True) for line in lines]
    above = [_neighbors(line, lines, is_below=False) for line in lines]
    following = {
        index: others[0]
        for index, others in enumerate(below)
        if len(others) == 1 and above[others[0]] == [index] and _alike(lines, index, others[0])
    }
    starts = set(range(len(lines))) - set(following.values())
    for index in sorted(starts, key=lambda index: lines[index].top):
        chain = [index]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        yield [lines[each] for each in chain]


def _neighbors(line: Box, lines: Sequence[Box], *, is_below: bool) -> list[int]:
    """Return which lines stand directly below, or above, `line`."""
    found = []
    for index, other in enumerate(lines):
        gap = other.top - line.bottom if is_below else line.top - other.bottom
        is_beyond = (other.middle > line.middle) == is_below and not line.is_level_with(other)
        reach = _NEXT_LINE_GAP * min(line.height, other.height)
        if is_beyond and gap <= reach and _is_over(line, other) and other is not line:
            found.append(index)
    return [index for index in found if not _is_hidden(index, found, line, lines)]


def _is_hidden(index: int, found: Sequence[int], line: Box, lines: Sequence[Box]) -> bool:
    """Tell whether another of the lines that were found stands between this one and `line`."""
    far = lines[index]
    return any(
        abs(lines[other].middle - line.middle) < abs(far.middle - line.middle)
        and not lines[other].is_level_with(far)
        and _is_over(lines[other], far)
        for other in found
    )


def _is_over(one: Box, other: Box) -> bool:
    """Tell whether one stands above the other, and does not only touch what stands there."""
    return one.common_width(other) > _ABOVE_EACH_OTHER * min(one.width, other.width)


def _alike(lines: Sequence[Box], first: int, second: int) -> bool:
    lower, higher = sorted((_line_height(lines[first]), _line_height(lines[second])))
    return higher <= _ALIKE * lower


def _line_height(line: Box) -> float:
    heights = []
    for piece in line.pieces:
        _, top, _, bottom = piece.bounds
        heights.append(bottom - top)
    return min(line.height, median(heights))


def _is_running_text(chain: Sequence[Box]) -> bool:
    if len(chain) < _LEAST_LINES:
        return False
    width = max(line.width for line in chain)
    full = sum(line.width >= _FULL * width for line in chain)
    letters = median(sum(piece.letters for piece in line.pieces) for line in chain)
    return full >= _MOST_LINES * len(chain) and letters >= _LINE_LETTERS


def _without_marks(loose: Sequence[Box], running: list[list[Box]]) -> list[Box]:
    """Put the marks of lists, such as `2.`, into the lines beside them; return what is left."""
    left: list[Box] = []
    for box in loose:
        places = [
            (line.left, chain, index)
            for chain in running
            for index, line in enumerate(chain)
            if line.is_level_with(box) and 0 <= line.left - box.right <= _MARK_GAP * line.height
        ]
        if len(box.pieces[0].text) <= _MARK_CHARS and places:
            _, chain, index = min(places, key=lambda place: place[0])
            chain[index] = around((box, chain[index]))
        else:
            left.append(box)
    return left


def _rows(loose: Sequence[Box], running: Sequence[Box]) -> list[Box]:
    """Join what stands on one line, unless running text stands between."""
    rows: list[Box] = []
    for box in sorted(loose, key=lambda box: box.left):
        before = [row for row in rows if row.is_level_with(box) and row.right <= box.left + 1]
        nearest = max(before, key=lambda row: row.right, default=None)
        if nearest is not None and _may_be_cells(nearest, box, running):
            rows.remove(nearest)
            box = around((nearest, box))  # noqa: PLW2901
        rows.append(box)
    return rows


def _may_be_cells(row: Box, box: Box, running: Sequence[Box]) -> bool:
    if box.left - row.right > _ROW_GAP * min(row.height, box.height):
        return False
    gap = Box(row.right, max(row.top, box.top), box.left, min(row.bottom, box.bottom), ())
    return not any(text.common_width(gap) > 0 and text.common_height(gap) > 0 for text in running)


def _ordered(blocks: Sequence[Block]) -> list[Block]:
    places = [around(block.rows) for block in blocks]
    left = list(range(len(blocks)))
    if len(blocks) > _MOST_BLOCKS:
        return [blocks[index] for index in sorted(left, key=lambda index: places[index].top)]
    before = {
        index: {
            other
            for other in left
            if other != index and _precedes(places[other], places[index], places)
        }
        for index in left
    }
    order: list[int] = []
    while left:
        free = [index for index in left if not before[index].intersection(left)] or left
        order.append(min(free, key=lambda index: (places[index].top, places[index].left)))
        left.remove(order[-1])
    return [blocks[index] for index in order]


def _precedes(one: Box, other: Box, places: Sequence[Box]) -> bool:
    if _is_over(one, other):
        return one.middle < other.middle
    if one.center > other.center:
        return False
    upper, lower = min(one.middle, other.middle), max(one.middle, other.middle)
    return not any(
        upper < place.middle < lower and _is_over(place, one) and _is_over(place, other)
        for place in places
        if place is not one and place is not other
    )
