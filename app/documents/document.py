"""A document as it was read: pages of lines that keep their place and their look.

The look (height and boldness of a line) is what tells a heading from a sentence later on; nothing
else of the layout is kept.
"""

from dataclasses import dataclass
from typing import Literal

from app.documents.values import IntakeReport
from inference.frames import Codec

Kind = Literal["pdf", "text", "markdown"]
PageState = Literal["text", "without_text", "unreadable"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page.

    Attributes:
        text: May hold U+FFFE where a word was divided at the end of a line.
        height: Height of its first character's box in points, by halves; 0 where unknown.
        bold: Both its ends are bold.
        lead_chars: How many characters at its start are bold, where its end is not.
    """

    text: str
    height: float = 0.0
    bold: bool = False
    lead_chars: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One unit of a document: a page, or a section where the format has no pages.

    Attributes:
        number: 1-based.
        state: `without_text` is a scan or a blank page, `unreadable` a text layer of symbols.
    """

    number: int
    lines: tuple[Line, ...]
    state: PageState = "text"

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

    @property
    def text(self) -> str:
        """The whole document as plain text; pages are divided by form feeds."""
        return "\f".join(page.text for page in self.pages)


_CODEC = Codec((ReadDocument,))


def dump(document: ReadDocument) -> bytes:
    """Return `document` as bytes that the store can keep."""
    return _CODEC.encode(document)


def load(kept: bytes) -> ReadDocument:
    """Return the document that `dump` made into bytes.

    Raises:
        BadFrame: They are not from `dump`.
    """
    document: ReadDocument = _CODEC.decode(kept)
    return document
