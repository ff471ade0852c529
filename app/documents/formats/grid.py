"""Rows of cells as pages of lines: a line a row, each with the range of cells it stands in.

Cells are joined by bars under a line of the columns' names, which every further page of a sheet
repeats. Small models read that better than names in every cell, which make a row three times as
long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.document import Line, Page
from app.documents.formats.sections import BODY_HEIGHT, CELL_MARK, UNIT_CHARS, pieces

_LETTERS = 26
_LONGEST_NAME_CHARS = 80
_MOST_COLUMNS = 16_384
_FEWEST_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A row with anything in it; `number` is 1-based, as sheets show it."""

    number: int
    cells: tuple[str, ...]


def sheet_pages(
    rows: Sequence[Row], *, label: str, first_column: int = 0, first_number: int = 1
) -> Iterator[Page]:
    """Yield a sheet in pages of about 3,000 characters; an empty one is one blank page.

    Args:
        rows: Rows of one width at most; columns without anything are left out.
        label: The sheet's name.
        first_column: 0-based column that the first cell of each row stands in.
        first_number: Number of the first page.
    """
    columns = _used(rows)
    head = _head(rows, columns)
    lines: list[Line] = []
    chars = 0
    number = first_number
    for row in rows:
        if chars > UNIT_CHARS:
            yield Page(number, tuple(lines), label=label)
            number += 1
            lines = list(_lines(head, columns, first_column, is_head=True)) if head else []
            chars = sum(len(line.text) for line in lines)
        for line in _lines(row, columns, first_column, is_head=row is head):
            lines.append(line)
            chars += len(line.text)
    yield Page(number, tuple(lines), "text" if lines else "blank", label=label)


def column_name(index: int) -> str:
    """Return the letters of a 0-based column: A to Z, then AA."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, _LETTERS)
        name = chr(ord("A") + rest) + name
    return name


def _used(rows: Sequence[Row]) -> list[int]:
    used: set[int] = set()
    for row in rows:
        used.update(index for index, cell in enumerate(row.cells[:_MOST_COLUMNS]) if cell)
    return sorted(used)


def _head(rows: Sequence[Row], columns: Sequence[int]) -> Row | None:
    """Return the row that names the columns: the first that fills most of them, all with words."""
    if len(columns) < _FEWEST_COLUMNS:
        return None
    for row in rows:
        filled = [cell for cell in row.cells if cell]
        if 2 * len(filled) <= len(columns) or len(filled) < _FEWEST_COLUMNS:
            continue
        are_names = all(
            len(cell) <= _LONGEST_NAME_CHARS and any(map(str.isalpha, cell)) for cell in filled
        )
        return row if are_names else None
    return None


def _lines(row: Row, columns: Sequence[int], first_column: int, *, is_head: bool) -> Iterator[Line]:
    cells = [row.cells[index] if index < len(row.cells) else "" for index in columns]
    filled = [index for index, cell in zip(columns, cells, strict=True) if cell]
    first, last = filled[0] + first_column, filled[-1] + first_column
    place = f"{column_name(first)}{row.number}"
    if last > first:
        place += f":{column_name(last)}{row.number}"
    text = cells[columns.index(filled[0])] if len(filled) == 1 else CELL_MARK.join(cells)
    for piece in pieces(text):
        yield Line(piece, BODY_HEIGHT, bold=is_head, cells=place)
