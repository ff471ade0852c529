"""What crosses the pipe between the program and the process that works on a document."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from app.documents.document import Bookmark, Kind, Page
from app.documents.values import Unit
from inference.errors import Fact
from inference.frames import Codec


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Read one file; the only command a reading child gets.

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
class ReadingDone:
    """Every page was sent."""


@dataclass(frozen=True, slots=True)
class ReadingFailed:
    """Last event of a file that cannot be read: a code of `app.errors` and its facts."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


COMMANDS = Codec((ReadFile,))
READING_EVENTS = Codec((Opened, PageRead, ReadingDone, ReadingFailed))


def wire_path(path: Path) -> str:
    """Return `path` as text that JSON can carry, whatever bytes its name holds."""
    return os.fsencode(path).decode("latin-1")


def unwire_path(text: str) -> Path:
    """Return the path that `wire_path` wrote."""
    return Path(os.fsdecode(text.encode("latin-1")))
