"""What every reader of a format takes and gives.

A reader is a class or function `open(source, context) -> DocumentFile`. It raises one of the errors
below and nothing else; what a library raises over a broken file is turned into `Damaged` there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from app.documents.document import Bookmark, Kind, Page
from app.documents.values import Hidden, HiddenKind, LeftOut, Unit

_EXCERPT_CHARS = 200


class FormatError(Exception):
    """A file cannot be read as what it is."""


class PasswordNeeded(FormatError):
    """It is encrypted and the password is missing or wrong."""


class Damaged(FormatError):
    """It is broken: nothing of it can be read."""


class Unsupported(FormatError):
    """It cannot be read at all; the argument ends a sentence that begins with `it is`."""


class TooMuch(FormatError):
    """It unpacks to more than `Budget` allows; the argument names the limit."""


@dataclass(slots=True)
class Budget:
    """What a document may unpack to, attachments and members included; shared by nested readers.

    Attributes:
        unpacked_bytes: Left of what may come out of archives and encodings.
        members: Left of how many files may be opened inside the file.
        depth: How deep they may lie inside each other from here.
    """

    unpacked_bytes: int = 1_000_000_000
    members: int = 1_000
    depth: int = 4

    def take_bytes(self, count: int) -> None:
        """Use up `count` bytes.

        Raises:
            TooMuch: There were not that many left.
        """
        self.unpacked_bytes -= count
        if self.unpacked_bytes < 0:
            raise TooMuch("size when unpacked")


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or what lies inside one.

    Attributes:
        name: Its own name without folders; content decides what it is, never the name.
        stream: Seekable, at its beginning.
    """

    name: str
    stream: BinaryIO
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Context:
    """What a reader may use.

    Attributes:
        password: As the person gave it, or None.
    """

    password: str | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(slots=True)
class Findings:
    """What was found beside the text; complete once all pages have been taken."""

    tables: int = 0
    parts: int = 0
    hidden: list[Hidden] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def hide(self, kind: HiddenKind, page: int, text: str) -> None:
        """Note text that a reader of the document does not see; white space alone is nothing."""
        shown = " ".join(text.split())
        if shown:
            words = len(shown.split())
            self.hidden.append(Hidden(kind, page, words, shown[:_EXCERPT_CHARS]))


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A picture of a page: rows of RGB bytes, three a pixel, from the top."""

    width: int
    height: int
    rgb: bytes


class DocumentFile(Protocol):
    """An open document; one thread."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        ...

    @property
    def unit(self) -> Unit:
        """What its pages are."""
        ...

    @property
    def title(self) -> str:
        """What the file says its title is, or empty."""
        ...

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """Its own table of contents, with page numbers as `pages` counts them."""
        ...

    @property
    def findings(self) -> Findings:
        """What was found beside the text."""
        ...

    def __len__(self) -> int:
        """Return how many pages there are."""
        ...

    def pages(self) -> Iterator[Page]:
        """Yield all pages once, in order, numbered from 1; a bad one comes as `unreadable`."""
        ...

    def render(self, number: int, dpi: float) -> Bitmap | None:
        """Return a picture of page `number`, or None where the format has no look of its own."""
        ...
