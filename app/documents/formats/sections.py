"""Sections of about 3,000 characters, for formats whose pages exist only once they are printed.

A section begins at a heading where one is near, else between two paragraphs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.document import Bookmark, Kind, Line, Page
from app.documents.formats.format import Bitmap, Findings
from app.documents.values import HiddenKind, Unit

UNIT_CHARS = 3000
BODY_HEIGHT = 10.0
CELL_MARK = " | "
_HEADING_HEIGHT = 16.0
_LOWEST_LEVEL = 5
_LONGEST_TABLE_CHARS = 2 * UNIT_CHARS
_LONGEST_LINE_CHARS = 2000
_LONGEST_LABEL_CHARS = 120
_PIECE = re.compile(rf".{{1,{_LONGEST_LINE_CHARS}}}(?:\s|$)|\S{{{_LONGEST_LINE_CHARS}}}")
# Control characters that XML and RTF can carry but no line of text should.
_CONTROLS: dict[int, str | None] = dict.fromkeys((*range(32), 0x7F, 0xAD, 0xFEFF))
_CONTROLS |= {9: " ", 10: " ", 0xA0: " "}


@dataclass(frozen=True, slots=True)
class PagesFile:
    """A document whose pages are all known; a `DocumentFile`."""

    kind: Kind
    unit: Unit
    title: str
    bookmarks: tuple[Bookmark, ...]
    findings: Findings
    content: tuple[Page, ...]

    def __len__(self) -> int:
        return len(self.content)

    def pages(self) -> Iterator[Page]:
        """Yield all pages."""
        yield from self.content

    def render(self, number: int, dpi: float) -> Bitmap | None:  # noqa: ARG002
        """Return None: such a format has no look of its own."""
        return None


def pieces(text: str) -> list[str]:
    """Return `text` as lines of at most 2,000 characters without control characters."""
    text = text.translate(_CONTROLS).strip()
    if len(text) <= _LONGEST_LINE_CHARS:
        return [text] if text else []
    return [piece.strip() for piece in _PIECE.findall(text)]


def heading_line(text: str, level: int) -> Line:
    """Return the line of a heading; level 0 is the outermost."""
    height = _HEADING_HEIGHT - min(max(level, 0), _LOWEST_LEVEL) * 0.5
    return Line(text, height, bold=True)


class Sections:
    """Takes what a document holds in its order, and cuts it into pages."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.bookmarks: list[Bookmark] = []
        self._pages: list[Page] = []
        self._lines: list[Line] = []
        self._chars = 0
        self._heading = ""
        self._label = ""

    @property
    def number(self) -> int:
        """The number of the page under way, from 1."""
        return len(self._pages) + 1

    def heading(self, text: str, level: int) -> None:
        """Add a heading; level 0 is the outermost."""
        title = " ".join(pieces(text))
        if not title:
            return
        if self._chars > UNIT_CHARS / 2:
            self._cut()
        self._heading = title[:_LONGEST_LABEL_CHARS]
        self._label = self._label or self._heading
        self.bookmarks.append(Bookmark(min(max(level, 0), 8), title, self.number))
        self._gap()
        for piece in pieces(title):
            self._add(heading_line(piece, level))
        self._gap()

    def paragraph(self, text: str, *, bold: bool = False, stands_close: bool = False) -> None:
        """Add a paragraph; line breaks in it stay.

        Args:
            text: What it says.
            bold: All of it is bold.
            stands_close: No gap before it, as between the items of a list.
        """
        rows = [piece for row in text.split("\n") for piece in pieces(row)]
        if not rows:
            return
        if self._chars > UNIT_CHARS:
            self._cut()
        if not stands_close:
            self._gap()
        for row in rows:
            if self._chars > _LONGEST_TABLE_CHARS:
                self._cut()
            self._add(Line(row, BODY_HEIGHT, bold))

    def row(self, cells: Sequence[str]) -> None:
        """Add a row of a table."""
        shown = [" ".join(cell.split()) for cell in cells]
        if not any(shown):
            return
        if self._chars > _LONGEST_TABLE_CHARS:
            self._cut()
        for piece in pieces(CELL_MARK.join(shown)):
            self._add(Line(piece, BODY_HEIGHT))

    def end_table(self) -> None:
        """Count a table, and part it from what comes next."""
        self.findings.tables += 1
        self._gap()

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Note text at this place that nobody sees."""
        self.findings.hide(kind, self.number, text)

    def finish(self, kind: Kind, title: str) -> PagesFile:
        """Return the document; without any text it has one page, `without_text`, or none.

        It has none where nothing else was found in it either.
        """
        self._cut()
        found = self.findings.hidden or self.findings.left_out
        if not self._pages and found:
            self._pages.append(Page(1, (), "without_text"))
        title = " ".join(pieces(title))
        marks = tuple(self.bookmarks)
        return PagesFile(kind, "section", title, marks, self.findings, tuple(self._pages))

    def _add(self, line: Line) -> None:
        self._label = self._label or self._heading
        self._lines.append(line)
        self._chars += len(line.text)

    def _gap(self) -> None:
        if self._lines and self._lines[-1].text:
            self._lines.append(Line("", BODY_HEIGHT))

    def _cut(self) -> None:
        while self._lines and not self._lines[-1].text:
            self._lines.pop()
        if self._lines:
            self._pages.append(Page(self.number, tuple(self._lines), label=self._label))
        self._lines = []
        self._chars = 0
        self._label = ""
