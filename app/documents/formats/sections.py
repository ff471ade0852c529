"""Sections of about 3,000 characters, for formats whose pages exist only once they are printed.

A section begins at a heading where one is near, else between two paragraphs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.document import Bookmark, Kind, Line, Page
from app.documents.formats.beside import Beside
from app.documents.formats.format import Bitmap, Findings
from app.documents.values import HiddenKind, Unit

UNIT_CHARS = 3000
BODY_HEIGHT = 10.0
CELL_MARK = " | "
_HEADING_SCALE = 1.6
_SCALE_STEP = 0.05
_LOWEST_LEVEL = 5
_LOWEST_BOOKMARK = 8
_LONGEST_TABLE_CHARS = 2 * UNIT_CHARS
_LONGEST_LINE_CHARS = 2000
_LONGEST_LABEL_CHARS = 120
_LONGEST_PAGE_NUMBER = 7
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
    """Return `text` as lines of at most 2,000 characters, without control characters.

    White space of any kind and length becomes one space.
    """
    text = " ".join(text.translate(_CONTROLS).split())
    if len(text) <= _LONGEST_LINE_CHARS:
        return [text] if text else []
    return [piece.strip() for piece in _PIECE.findall(text)]


class Sections:
    """Takes what a document holds in its order, and cuts it into pages."""

    def __init__(self, findings: Findings, body_height: float = BODY_HEIGHT) -> None:
        """`body_height` is the size of its usual text in points; it may be set later."""
        self.findings = findings
        self.body_height = body_height
        self._beside = Beside(findings)
        self.bookmarks: list[Bookmark] = []
        self._pages: list[Page] = []
        self._lines: list[Line] = []
        self._chars = 0
        self._heading = ""
        self._label = ""
        self._seen: set[str] | None = None

    @property
    def number(self) -> int:
        """The number of the page under way, from 1."""
        return len(self._pages) + 1

    def heading(self, text: str, level: int) -> None:
        """Add a heading; level 0 is the outermost."""
        title = " ".join(pieces(text))
        if not title:
            return
        if self._seen is not None:
            self.paragraph(title, bold=True)
            return
        if self._chars > UNIT_CHARS / 2:
            self._cut()
        self._heading = title[:_LONGEST_LABEL_CHARS]
        self._label = self._label or self._heading
        level = max(level, 0)
        self.bookmarks.append(Bookmark(min(level, _LOWEST_BOOKMARK), title, self.number))
        scale = _HEADING_SCALE - min(level, _LOWEST_LEVEL) * _SCALE_STEP
        height = round(2 * scale * self.body_height) / 2
        self.gap()
        for piece in pieces(title):
            self._add(Line(piece, height, bold=True))
        self.gap()

    def paragraph(
        self, text: str, *, bold: bool = False, height: float = 0.0, stands_close: bool = False
    ) -> None:
        """Add a paragraph; line breaks in it stay.

        Args:
            text: What it says.
            bold: All of it is bold.
            height: Size of its characters in points; 0 takes the usual one.
            stands_close: No gap before it, as between the items of a list.
        """
        rows = [piece for row in text.split("\n") for piece in pieces(row) if self._is_new(piece)]
        if not rows:
            return
        if self._chars > UNIT_CHARS:
            self._cut()
        if not stands_close:
            self.gap()
        for row in rows:
            if self._chars > _LONGEST_TABLE_CHARS:
                self._cut()
            self._add(Line(row, height or self.body_height, bold))

    def row(self, cells: Sequence[str]) -> None:
        """Add a row of a table."""
        shown = [" ".join(cell.split()) for cell in cells]
        if not any(shown):
            return
        for piece in filter(self._is_new, pieces(CELL_MARK.join(shown))):
            if self._chars > _LONGEST_TABLE_CHARS:
                self._cut()
            self._add(Line(piece, self.body_height))

    def end_table(self) -> None:
        """Count a table."""
        self.findings.tables += 1

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Note text at this place that nobody sees; one note for each kind on a page."""
        self._beside.hide(kind, text)

    def leave_out(self, code: str, name: str = "") -> None:
        """Count something that is not read; see `LeftOut`."""
        self._beside.leave_out(code, name)

    def gap(self) -> None:
        """Part what comes next from what there is."""
        if self._lines and self._lines[-1].text:
            self._lines.append(Line("", self.body_height))

    def begin_margins(self) -> None:
        """Take what comes next for heads and feet of pages: each line once, page numbers never."""
        self.gap()
        self._seen = set()

    def finish(self, kind: Kind, title: str) -> PagesFile:
        """Return the document; without any text it has one page, `without_text`, or none.

        It has none where nothing else was found in it either.
        """
        self._cut()
        self._beside.end_page(min(self.number, max(1, len(self._pages))))
        self._beside.finish()
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

    def _is_new(self, line: str) -> bool:
        if self._seen is None:
            return True
        is_number = len(line) <= _LONGEST_PAGE_NUMBER and not any(map(str.isalpha, line))
        if is_number or line in self._seen:
            return False
        self._seen.add(line)
        return True

    def _cut(self) -> None:
        while self._lines and not self._lines[-1].text:
            self._lines.pop()
        if self._lines:
            self._beside.end_page(self.number)
            self._pages.append(Page(self.number, tuple(self._lines), label=self._label))
        self._lines = []
        self._chars = 0
        self._label = ""
