"""What crosses the pipe between the program and the process that works on a document."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.documents.document import Bookmark, Kind, Page
from app.documents.evidence import Digest
from app.documents.options import Length, Style
from app.documents.values import Hidden, LeftOut, Unit
from inference.errors import Fact
from inference.frames import Codec


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Read one file.

    Attributes:
        path: As `wire_path` writes it, because a name may hold bytes that are no text.
        memory_bytes: Address space the child may use, where the system can limit it.
    """

    path: str
    password: str | None
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Opened:
    """The file could be opened; `total` units follow as `PageRead`."""

    kind: Kind
    unit: Unit
    total: int
    title: str
    size_bytes: int
    sha256: str
    bookmarks: tuple[Bookmark, ...]


@dataclass(frozen=True, slots=True)
class PageRead:
    """The next page, in order."""

    page: Page


@dataclass(frozen=True, slots=True)
class Found:
    """What was found beside the text; follows the last page of a file."""

    tables: int = 0
    parts: int = 0
    hidden: tuple[Hidden, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingFailed:
    """Last event of a file that cannot be read: a code of `app.errors` and its facts."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DigestPages:
    """Digest the pages that follow as `PageRead`, up to `PagesDone`."""

    name: str
    title: str
    bookmarks: tuple[Bookmark, ...]
    length: Length
    kind: Kind = "text"
    unit: Unit = "page"
    style: Style = "points"


@dataclass(frozen=True, slots=True)
class PagesDone:
    """Every page was sent."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How far digesting has come; a total of 0 is unknown."""

    name: Literal["reading", "choosing"]
    done: int = 0
    total: int = 0


COMMANDS = Codec((ReadFile, DigestPages, PageRead, PagesDone))
READING_EVENTS = Codec((Opened, PageRead, Found, ReadingFailed))
DIGEST_EVENTS = Codec((Stage, Digest))


def wire_path(path: Path) -> str:
    """Return `path` as text that JSON can carry, whatever bytes its name holds."""
    return os.fsencode(path).decode("latin-1")


def unwire_path(text: str) -> Path:
    """Return the path that `wire_path` wrote."""
    return Path(os.fsdecode(text.encode("latin-1")))
