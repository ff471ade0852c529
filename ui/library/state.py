"""What the window knows of the library."""

from dataclasses import dataclass
from pathlib import Path

from app.documents.values import LeftOut


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The library at one moment.

    Attributes:
        files: Documents in its folders.
        indexed: Those that are ready for questions.
        failed: Those that could not be read, and why.
    """

    folders: tuple[Path, ...] = ()
    files: int = 0
    indexed: int = 0
    failed: tuple[LeftOut, ...] = ()
    is_working: bool = False
    is_paused: bool = False
