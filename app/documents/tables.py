"""Says what a sheet holds: its columns, how many rows, the extremes of its figures, its notes.

By counting and comparing only. A sheet is no running text, and sentences that ranking would pick
out of its rows say nothing alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from app.documents.document import Line, Page
from app.documents.evidence import Evidence

# Read with the module, because behind the walls of the document process nothing can be opened.
_SENTENCES: dict[str, dict[str, str]] = json.loads(
    (resources.files("resources") / "prompts" / "sheet.json").read_text(encoding="utf-8")
)
_CELL_MARK = " | "
_NAMED = re.compile(r"^([^:|]{1,60}): (.*)$")
_FIGURE = re.compile(r"[-+−(]?\s?[$€£]?\s?\d[\d.,\s’']*\s?[%$€£]?\)?")
_SPACES = re.compile(r"[\s\u00a0\u202f’'$€£%()]")
_GROUPS = {
    ",": re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ".": re.compile(r"-?\d{1,3}(?:\.\d{3})+(?:,\d+)?"),
}
_FEWEST_ROWS = 3
_FEWEST_COLUMNS = 2
_LEAST_FIGURES = 0.6
_MOST_COLUMNS_NAMED = 12
_MOST_RANGES = 3
_MOST_NOTES = 3
_FEWEST_NOTE_WORDS = 7
_MOST_NOTE_CHARS = 420
_MOST_CELL_CHARS = 80
# Columns of figures that count or name rows: their extremes say nothing.
_NUMBERING = re.compile(
    r"^(#|no\.?|nr\.?|id|row|index|rank|year|jahr|zip|plz|phone|telefon|code|zeile|pos\.?|"
    r"page|seite|.* number|.*nummer)$",
    re.IGNORECASE,
)
# A sum is no extreme among the rows it is of.
_SUM = re.compile(r"\b(total|sum|subtotal|summe|gesamt|insgesamt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str, ...]
    place: str


@dataclass(frozen=True, slots=True)
class _Table:
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    place: str

    def labels(self) -> int | None:
        """Return the column whose texts name the rows."""
        for index in range(len(self.columns)):
            texts = [row.cells[index] for row in self.rows if row.cells[index]]
            if len(texts) > len(self.rows) / 2 and not any(map(figure, texts)):
                return index
        return None


def describe(page: Page, language: str) -> tuple[Evidence, ...]:
    """Return what can be said of one sheet, the most general first."""
    words = _SENTENCES.get(language, _SENTENCES["en"])
    said: list[Evidence] = []
    table = _table_of(page.lines)
    if table is not None:
        columns = ", ".join(name for name in table.columns[:_MOST_COLUMNS_NAMED] if name)
        more = ", …" if len(table.columns) > _MOST_COLUMNS_NAMED else ""
        text = words["columns"].format(rows=len(table.rows), columns=columns + more)
        head = _CELL_MARK.join(table.columns)
        said.append(_evidence(text, head, page, table.place, computed=(str(len(table.rows)),)))
        said.extend(_ranges(table, page, words))
    said.extend(_notes(page))
    return tuple(said)


def figure(text: str) -> float | None:
    """Return the number that a cell holds, in English or continental writing; None for text."""
    text = text.strip()
    if not _FIGURE.fullmatch(text):
        return None
    is_negative = text.startswith(("(", "-", "−"))
    digits = _SPACES.sub("", text).lstrip("+-−")
    if _GROUPS[","].fullmatch(digits):
        digits = digits.replace(",", "")
    elif _GROUPS["."].fullmatch(digits) or ("," in digits and "." not in digits):
        digits = digits.replace(".", "").replace(",", ".")
    try:
        return -float(digits) if is_negative else float(digits)
    except ValueError:
        return None


def _table_of(lines: Sequence[Line]) -> _Table | None:
    """Return the largest table of a sheet: rows of the same columns under a row of names."""
    named = _named_table(lines)
    if named is not None:
        return named
    rows = [
        _Row(tuple(cell.strip() for cell in line.text.split("|")), line.cells) for line in lines
    ]
    widths = [len(row.cells) for row in rows]
    wide = [width for width in widths if width >= _FEWEST_COLUMNS]
    if not wide:
        return None
    width = max(set(wide), key=lambda each: (wide.count(each), each))
    body = [row for row in rows if len(row.cells) == width]
    head = next((index for index, row in enumerate(body) if _is_head(row)), None)
    if head is None or len(body) - head - 1 < _FEWEST_ROWS:
        return None
    kept = body[head + 1 :]
    return _Table(body[head].cells, tuple(kept), _span(body[head].place, kept[-1].place))


def _named_table(lines: Sequence[Line]) -> _Table | None:
    """Read rows written as `Header: value | Header: value`."""
    columns: dict[str, None] = {}
    rows: list[tuple[dict[str, str], str]] = []
    for line in lines:
        pairs = [_NAMED.match(part.strip()) for part in line.text.split(_CELL_MARK)]
        found = {match[1]: match[2] for match in pairs if match}
        if len(found) == len(pairs) >= _FEWEST_COLUMNS:
            rows.append((found, line.cells))
            columns.update(dict.fromkeys(found))
    if len(rows) < _FEWEST_ROWS:
        return None
    names = tuple(columns)
    body = tuple(_Row(tuple(row.get(name, "") for name in names), place) for row, place in rows)
    return _Table(names, body, _span(body[0].place, body[-1].place))


def _is_head(row: _Row) -> bool:
    filled = [cell for cell in row.cells if cell]
    is_short = all(len(cell) <= _MOST_CELL_CHARS for cell in filled)
    texts = [cell for cell in filled if figure(cell) is None]
    return is_short and len(filled) > len(row.cells) / 2 and len(texts) > len(filled) / 2


def _span(first: str, last: str) -> str:
    """Return the range from the first cell of one to the last cell of another."""
    if not first or not last:
        return first or last
    return f"{first.partition(':')[0]}:{last.rpartition(':')[2]}"


def _ranges(table: _Table, page: Page, words: dict[str, str]) -> Iterator[Evidence]:
    labels = table.labels()
    count = 0
    for index, column in enumerate(table.columns):
        figures = [
            (value, row)
            for row in table.rows
            if (value := figure(row.cells[index])) is not None
            and not _SUM.search(" ".join(row.cells))
        ]
        is_column = len(figures) >= max(_FEWEST_ROWS, _LEAST_FIGURES * len(table.rows))
        if not is_column or labels is None or not column or _NUMBERING.match(column):
            continue
        least, most = min(figures, key=_value), max(figures, key=_value)
        if least[0] == most[0] or not (least[1].cells[labels] and most[1].cells[labels]):
            continue
        text = words["range"].format(
            column=column,
            least=least[1].cells[index],
            least_row=least[1].cells[labels],
            most=most[1].cells[index],
            most_row=most[1].cells[labels],
        )
        rows = " / ".join(_CELL_MARK.join(row.cells) for row in (least[1], most[1]))
        first, last = sorted((least[1], most[1]), key=table.rows.index)
        yield _evidence(text, rows, page, _span(first.place, last.place))
        count += 1
        if count == _MOST_RANGES:
            return


def _value(item: tuple[float, _Row]) -> float:
    return item[0]


def _notes(page: Page) -> list[Evidence]:
    """Return rows that are sentences: a title, a source, a remark."""
    notes = []
    for line in page.lines:
        cells = [cell.strip() for cell in line.text.split("|") if cell.strip()]
        text = cells[0] if len(cells) == 1 else ""
        is_note = len(text.split()) >= _FEWEST_NOTE_WORDS and len(text) <= _MOST_NOTE_CHARS
        if is_note and not _NAMED.match(text):
            notes.append(_evidence(text, text, page, line.cells))
    return notes[:_MOST_NOTES]


def _evidence(
    shown: str, text: str, page: Page, cells: str, computed: tuple[str, ...] = ()
) -> Evidence:
    return Evidence(
        text=text,
        shown=shown,
        page=page.number,
        section=page.label,
        heading=page.label,
        passage=(),
        cells=cells,
        computed=computed,
    )
