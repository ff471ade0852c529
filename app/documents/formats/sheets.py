"""Workbooks: XLSX, XLS and ODS, sheet by sheet, with values as people read them."""

import datetime
import re
from collections.abc import Iterable, Iterator
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from app.documents import sniffing
from app.documents.document import Kind, Page
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    PasswordNeeded,
    Source,
    TooMuch,
)
from app.documents.formats.grid import Row, sheet_pages
from app.documents.formats.markup import inner_text
from app.documents.formats.office_properties import read_properties
from app.documents.formats.package import Package
from app.documents.formats.sections import PagesFile
from app.documents.values import LeftOut

# A workbook of 720 MB of XML took 2 GB and 42 s.
_LARGEST_XML_BYTES = 150_000_000
_MOST_CHARS = 16_000_000
_EXACT_DIGITS = 15
_LARGEST_WHOLE = 1e15
_COMMENTS = re.compile(r"xl/(comments|threadedcomments/).*\.xml", re.I)
_DATE_ONLY = datetime.time()


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the workbook.

    Raises:
        FormatError: One of its subclasses.
    """
    kind = sniffing.sniff(source.stream).kind or "xlsx"
    findings = Findings()
    title = "" if kind == "xls" else _look_into_package(source, context, kind, findings)
    source.stream.seek(0)
    try:
        workbook = CalamineWorkbook.from_filelike(source.stream)
        pages = tuple(_pages(workbook, findings))
    except PasswordError as error:
        raise PasswordNeeded from error
    except CalamineError as error:
        raise Damaged from error
    return PagesFile(kind, "sheet", title, (), findings, pages)


def _look_into_package(source: Source, context: Context, kind: Kind, findings: Findings) -> str:
    """Refuse what would swell, note comments, and return the title."""
    package = Package(source, context.budget)
    xml = [name for name in package.names() if name.lower().endswith(".xml")]
    unpacked_bytes = sum(package.size_bytes(name) for name in xml)
    if unpacked_bytes > _LARGEST_XML_BYTES:
        raise TooMuch("size when unpacked")
    context.budget.take_bytes(unpacked_bytes)
    if kind != "xlsx":
        return ""
    for name in xml:
        if _COMMENTS.fullmatch(name):
            tree = package.tree(name)
            findings.hide("comment", 0, inner_text(tree) if tree is not None else "")
    return read_properties(package, findings)


def _pages(workbook: CalamineWorkbook, findings: Findings) -> Iterator[Page]:
    number = 1
    left_chars = _MOST_CHARS
    for sheet in workbook.sheets_metadata:
        if sheet.typ not in (SheetTypeEnum.WorkSheet, SheetTypeEnum.MacroSheet):
            continue
        cells = workbook.get_sheet_by_name(sheet.name)
        first_column = cells.start[1] if cells.start else 0
        rows, used_chars = _rows(cells.iter_rows(), left_chars)
        left_chars -= used_chars
        if left_chars <= 0:
            limit = f"{rows[-1].number:,} rows" if rows else "sheets"
            findings.left_out.append(LeftOut("rest_left_out", sheet.name, detail=limit))
        if sheet.visible != SheetVisibleEnum.Visible:
            findings.hide("hidden_sheet", 0, f"{sheet.name}: {_text(rows)}")
        else:
            findings.tables += len(rows) > 1
            for page in sheet_pages(
                rows, label=sheet.name, first_column=first_column, first_number=number
            ):
                number = page.number + 1
                yield page
        if left_chars <= 0:
            return


def _rows(values: Iterable[list[Any]], most_chars: int) -> tuple[list[Row], int]:
    """Return the rows that hold anything, up to a number of characters, and how many they are."""
    rows: list[Row] = []
    chars = 0
    for number, row in enumerate(values, 1):
        shown = tuple(map(_shown, row))
        if any(shown):
            rows.append(Row(number, shown))
            chars += sum(map(len, shown))
        if chars >= most_chars:
            break
    return rows, chars


def _text(rows: Iterable[Row]) -> str:
    return " ".join(cell for row in rows for cell in row.cells if cell)


def _shown(value: Any) -> str:
    """Return a cell as a person would write it."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return (
                f"{value:.{_EXACT_DIGITS}g}"
                if value % 1 or abs(value) >= _LARGEST_WHOLE
                else f"{value:.0f}"
            )
        case datetime.datetime():
            moment = value.replace(microsecond=0)
            is_day = moment.time() == _DATE_ONLY
            return moment.date().isoformat() if is_day else moment.isoformat(" ")
        case datetime.time():
            return value.replace(microsecond=0).isoformat()
        case datetime.timedelta():
            return str(datetime.timedelta(seconds=round(value.total_seconds())))
    return " ".join(str(value).split())
