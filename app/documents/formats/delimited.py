"""Tables as text: CSV with commas, semicolons, tabs or bars, in any encoding."""

import csv
import io
from collections.abc import Iterator

from app.documents.decoding import decode
from app.documents.formats.format import Context, Damaged, DocumentFile, Findings, Source
from app.documents.formats.grid import Row, sheet_pages
from app.documents.formats.sections import PagesFile
from app.documents.sniffing import DELIMITERS, is_table
from app.documents.values import LeftOut

_MOST_BYTES = 16_000_000
_SAMPLE_CHARS = 4096


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001, ARG001 - as all readers
    """Read the table.

    Raises:
        Damaged: Its quotes do not end.
    """
    findings = Findings()
    text = decode(source.stream.read(_MOST_BYTES)).lstrip("\ufeff")
    if source.size_bytes > _MOST_BYTES:
        limit = f"{_MOST_BYTES // 1_000_000} MB"
        findings.left_out.append(LeftOut("rest_left_out", detail=limit))
    try:
        rows = tuple(_rows(text, _delimiter(text)))
    except csv.Error as error:
        raise Damaged from error
    findings.tables = int(len(rows) > 1)
    pages = tuple(sheet_pages(rows, label="")) if rows else ()
    return PagesFile("csv", "sheet", "", (), findings, pages)


def _delimiter(text: str) -> str:
    sample = text[:_SAMPLE_CHARS]
    if len(text) > len(sample):
        sample = sample.rpartition("\n")[0] or sample
    found = (sign for sign in DELIMITERS if is_table(sample, sign))
    return next(found, max(DELIMITERS, key=sample.count))


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(_MOST_BYTES)
    for number, cells in enumerate(
        csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1
    ):
        shown = tuple(" ".join(cell.split()) for cell in cells)
        if any(shown):
            yield Row(number, shown)
