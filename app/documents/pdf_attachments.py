"""Files attached to a PDF: documents among them follow its own pages.

A text is read only where its name says that a person wrote it; others are settings and data that
programs pass on. Imported in the document process only.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pypdfium2 as pdfium

from app.documents.document import Bookmark, Kind, Page
from app.documents.formats import opening
from app.documents.formats.format import (
    Bitmap,
    Budget,
    Context,
    DocumentFile,
    Findings,
    FormatError,
    Source,
    TooMuch,
    Unsupported,
)
from app.documents.values import LeftOut, Unit

_MOST_ATTACHMENTS = 500
_PART_MARK = " › "
_TEXTS: tuple[Kind, ...] = ("text", "markdown")
_WRITTEN_BY_PEOPLE = (".txt", ".md")


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    file: DocumentFile


class PdfWithFiles:
    """A PDF whose attached documents are read as its parts."""

    kind: Kind = "pdf"
    unit: Unit = "page"

    def __init__(self, own: DocumentFile, parts: Sequence[_Part], *, is_cover: bool) -> None:
        self._own = own
        self._parts = tuple(parts)
        self._is_cover = is_cover
        self.findings: Findings = own.findings

    @property
    def title(self) -> str:
        """What the PDF says its title is."""
        return self._own.title

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The PDF's own outline."""
        return self._own.bookmarks

    def __len__(self) -> int:
        return len(self._own) + sum(len(part.file) for part in self._parts)

    def pages(self) -> Iterator[Page]:
        """Yield the PDF's pages, then those of its parts; a cover that only says so is blank."""
        if self._is_cover:
            self.findings.left_out.append(LeftOut("cover_left_out"))
            yield Page(1, (), "blank")
        else:
            yield from self._own.pages()
        before = len(self._own)
        for part in self._parts:
            yield from self._pages_of(part, before)
            self._take_findings(part, before)
            before += len(part.file)

    def render(self, number: int, dpi: float) -> Bitmap | None:
        """Return a picture of a page, or None where it has no look."""
        if number <= len(self._own):
            return self._own.render(number, dpi)
        number -= len(self._own)
        for part in self._parts:
            if number <= len(part.file):
                return part.file.render(number, dpi)
            number -= len(part.file)
        return None

    def _pages_of(self, part: _Part, before: int) -> Iterator[Page]:
        count = 0
        try:
            for page in part.file.pages():
                count += 1
                yield replace(
                    page,
                    number=before + page.number,
                    unit=page.unit or part.file.unit,
                    part=_PART_MARK.join(filter(None, (part.name, page.part))),
                    own_number=page.own_number or page.number,
                )
        except FormatError:
            self.findings.left_out.append(LeftOut("embedded_left_out", part.name))
        for missing in range(count + 1, len(part.file) + 1):
            yield Page(before + missing, (), "unreadable", own_number=missing, part=part.name)

    def _take_findings(self, part: _Part, before: int) -> None:
        found = part.file.findings
        self.findings.parts += 1 + found.parts
        self.findings.tables += found.tables
        self.findings.hidden += [
            replace(one, page=before + max(1, one.page)) for one in found.hidden
        ]
        self.findings.left_out += [
            replace(one, name=one.name or part.name) for one in found.left_out
        ]


def attached(document: pdfium.PdfDocument, context: Context, findings: Findings) -> Iterator[_Part]:
    """Yield the documents attached to `document`; what else there is becomes left out."""
    count = document.count_attachments()
    for index in range(min(count, _MOST_ATTACHMENTS)):
        name = ""
        try:
            attachment = document.get_attachment(index)
            name = attachment.get_name().replace("/", "_")
            yield _Part(name, _opened(bytes(attachment.get_data()), name, context))
        except (FormatError, pdfium.PdfiumError):
            findings.left_out.append(LeftOut("embedded_left_out", name))
    if count > _MOST_ATTACHMENTS:
        findings.left_out.append(LeftOut("embedded_left_out", "", count - _MOST_ATTACHMENTS))


def _opened(data: bytes, name: str, context: Context) -> DocumentFile:
    budget = context.budget
    budget.take_bytes(len(data))
    if budget.depth <= 0 or budget.members <= 0:
        raise TooMuch("number of files inside")
    inner = Budget(budget.unpacked_bytes, budget.members - 1, budget.depth - 1)
    try:
        source = Source(name, io.BytesIO(data), len(data))
        file = opening.open_file(source, Context(context.password, inner))
    finally:
        budget.unpacked_bytes, budget.members = inner.unpacked_bytes, inner.members
    is_data = file.kind in _TEXTS and not name.lower().endswith(_WRITTEN_BY_PEOPLE)
    if is_data or not len(file):
        raise Unsupported("nothing to read")
    return file
