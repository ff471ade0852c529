"""A document as it was read: pages of lines that keep their place and their look.

The look (height and boldness of a line) is what tells a heading from a sentence later on; nothing
else of the layout is kept.
"""

from dataclasses import dataclass, replace
from typing import Literal

from app.documents.values import IntakeReport, Place, Unit
from inference.errors import BadFrame
from inference.frames import Codec

Kind = Literal[
    "pdf",
    "text",
    "markdown",
    "docx",
    "doc",
    "odt",
    "rtf",
    "pptx",
    "ppt",
    "odp",
    "xlsx",
    "xls",
    "ods",
    "csv",
    "html",
    "epub",
    "mail",
    "image",
    "archive",
]
PageState = Literal["text", "blank", "without_text", "unreadable"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page.

    Attributes:
        text: May hold U+FFFE where a word was divided at the end of a line.
        height: Height of its first character's box in points, by halves; 0 where unknown.
        bold: Both its ends are bold.
        lead_chars: How many characters at its start are bold, where its end is not.
        cells: The range of cells it stands in, such as `B4:F4`; empty outside of sheets.
        box: Left, top, right and bottom edge as shares of the page, 0 to 1, where it was recognized
            in an image; else empty.
    """

    text: str
    height: float = 0.0
    bold: bool = False
    lead_chars: int = 0
    cells: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One unit of a document: a page, or a section where the format has no pages.

    Attributes:
        number: 1-based, counted through the whole document.
        state: `blank` has nothing to see, `without_text` may be a scan, `unreadable` is a text
            layer of symbols.
        unit: What kind of unit it is; empty takes the document's.
        own_number: 1-based within its part; 0 where the document has no parts.
        part: Name of the attachment or archive member it belongs to; empty in the file itself.
        label: Its own name, such as a sheet's or a chapter's, or empty.
        ocr_confidence: 0 to 1 where its text was recognized in its image; 0 where it was not.
    """

    number: int
    lines: tuple[Line, ...]
    state: PageState = "text"
    unit: Unit | Literal[""] = ""
    own_number: int = 0
    part: str = ""
    label: str = ""
    ocr_confidence: float = 0.0

    @property
    def text(self) -> str:
        """The page's lines as plain text."""
        return "\n".join(line.text.replace("\ufffe", "-") for line in self.lines)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a document's own table of contents; level 0 is the outermost."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was read to its end.

    Attributes:
        name: The file's own name, without its folder.
        title: What the file says its title is, or empty.
        sha256: Of the file, as hexadecimal digits.
    """

    name: str
    size_bytes: int
    sha256: str
    kind: Kind
    title: str
    report: IntakeReport
    pages: tuple[Page, ...]
    bookmarks: tuple[Bookmark, ...] = ()

    def place_of(self, number: int, cells: str = "") -> Place:
        """Return where the page `number` is, as a person would look for it."""
        page = self.pages[number - 1]
        return Place(
            page=number,
            unit=page.unit or self.report.unit,
            number=page.own_number or number,
            part=page.part,
            label=page.label,
            cells=cells,
        )

    @property
    def text(self) -> str:
        """The whole document as plain text; pages are divided by form feeds."""
        return "\f".join(page.text for page in self.pages)


_CODEC = Codec((ReadDocument, Page))


def dump(document: ReadDocument) -> bytes:
    """Return `document` as bytes that the store can keep: a line for it, and one for each page.

    Each line is made alone, because the interpreter's lock is held for all of one, and a window
    beside would stand still.
    """
    head = _CODEC.encode(replace(document, pages=()))
    return b"\n".join((head, *(_CODEC.encode(page) for page in document.pages)))


def load(kept: bytes) -> ReadDocument:
    """Return the document that `dump` made into bytes, of this version or of one before.

    Raises:
        BadFrame: They are not from `dump`.
    """
    head, *lines = kept.split(b"\n")
    document = _CODEC.decode(head)
    pages = tuple(_CODEC.decode(line) for line in lines)
    if not isinstance(document, ReadDocument) or not all(isinstance(one, Page) for one in pages):
        raise BadFrame(reason="not a document")
    return replace(document, pages=(*document.pages, *pages))
