"""Makes lines of a page out of pieces in reading order: text, height, paragraphs, divided words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from app.documents.document import Line
from app.documents.ocr.boxes import Box
from app.documents.ocr.order import Block, arrange
from app.documents.ocr.pieces import Piece

# Wider gaps divide the cells of a row.
_CELL_GAP = 2.2
_CELLS = " | "
_PARAGRAPH_GAP = 1.45
_CLOSE_GAP = 0.8
_SAME_HEIGHT = 1.25
# A height is told from one line, which may hold no letter with a tail; nearly the same is the same.
_BODY_HEIGHT = 1.22
_WIDE_CHAR = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_DIVIDED = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
_SENTENCE_END = re.compile(r"[.!?:;。！？：][\"”’»)\]]*$")
_LIST_MARK = re.compile(r"[•●▪■–—*·-]|\(?([0-9]{1,2}|[A-Za-z]|[ivx]{1,4})[.)]")
_LEAST_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the pieces lie on.

    Attributes:
        points_per_px: How large a pixel is on the page.
    """

    width_px: float
    height_px: float
    points_per_px: float


def lines_of(pieces: Sequence[Piece], sheet: Sheet) -> tuple[Line, ...]:
    """Return the lines of a page in reading order, with an empty one between paragraphs.

    The pieces have to run from the left to the right.
    """
    sure = [piece for piece in pieces if piece.score >= _LEAST_SCORE and piece.is_legible]
    lines: list[Line] = []
    before: Block | None = None
    for block in arrange(sure):
        if before and not _goes_on(before, block, lines[-1].text):
            lines.append(Line(""))
        lines += _block_lines(block)
        before = block
    body = _body_height(lines)
    return tuple(
        _finished(line, after, body, sheet)
        for line, after in zip(lines, [*lines[1:], Line("")], strict=False)
    )


def _goes_on(before: Block, block: Block, text: str) -> bool:
    """Tell whether a sentence that ends in `text` may go on in the next block.

    It does from column to column, and past a line that was no plain one; not past a gap.
    """
    last, first = before.rows[-1], block.rows[0]
    gap = first.top - last.bottom
    is_apart = last.common_width(first) > 0 and gap > _CLOSE_GAP * first.height
    both_run = before.is_running and block.is_running
    return both_run and not is_apart and not _SENTENCE_END.search(text)


def _block_lines(block: Block) -> list[Line]:
    rows = block.rows
    pitches = [after.middle - row.middle for row, after in pairwise(rows)]
    usual = median(pitches) if pitches else 0.0
    lines: list[Line] = []
    for row, pitch in zip(rows, [0.0, *pitches], strict=True):
        line = _line(row)
        if lines and (pitch > _PARAGRAPH_GAP * usual or _differ(lines[-1].height, line.height)):
            lines.append(Line(""))
        lines.append(line)
    return lines


def _line(row: Box) -> Line:
    """Return a row as a line whose height and box are still in pixels."""
    height = median(piece.line_height for piece in row.pieces)
    text = ""
    end = 0.0
    for piece in row.pieces:
        more = piece.text.strip()
        left, _, right, _ = piece.bounds
        text += (_between(text, more, (left - end) / height) if text else "") + more
        end = right
    edges = list(zip(*(piece.bounds for piece in row.pieces), strict=True))
    return Line(text, height, box=(min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])))


def _between(text: str, more: str, gap: float) -> str:
    if gap > _CELL_GAP and not _LIST_MARK.fullmatch(text):
        return _CELLS
    are_wide = _WIDE_CHAR.match(text[-1:]) and _WIDE_CHAR.match(more[:1])
    return "" if are_wide else " "


def _differ(first: float, second: float) -> bool:
    return max(first, second) > _SAME_HEIGHT * min(first, second)


def _body_height(lines: Sequence[Line]) -> float:
    """Return the height that most of the text has."""
    heights = sorted(line.height for line in lines for _ in line.text)
    return heights[len(heights) // 2] if heights else 0.0


def _finished(line: Line, after: Line, body: float, sheet: Sheet) -> Line:
    """Return a line with its height in points, its box in shares, and a divided word marked."""
    if not line.text:
        return line
    is_body = max(line.height, body) <= _BODY_HEIGHT * min(line.height, body)
    height = (body if is_body else line.height) * sheet.points_per_px
    text = line.text
    if _DIVIDED.search(text) and after.text[:1].islower():
        text = text[:-1] + "\ufffe"
    left, top, right, bottom = line.box
    width, height_px = sheet.width_px, sheet.height_px
    box = (left / width, top / height_px, right / width, bottom / height_px)
    return replace(
        line,
        text=text,
        height=round(height * 2) / 2,
        box=tuple(min(max(round(edge, 4), 0.0), 1.0) for edge in box),
    )
