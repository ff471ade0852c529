"""What is known of the library: values that the window and the command line show."""

from dataclasses import dataclass
from pathlib import Path

from app.documents.values import LeftOut


@dataclass(frozen=True, slots=True)
class LibraryView:
    """The library at one moment.

    Attributes:
        files: Documents in its folders, as they were last looked through.
        indexed: Those whose text is ready for questions.
        failed: Those that could not be read, and why.
        working: Something is read or looked through.
        trouble: Code of the error that stopped the last round, such as a full disk, or empty.
    """

    folders: tuple[Path, ...] = ()
    files: int = 0
    indexed: int = 0
    failed: tuple[LeftOut, ...] = ()
    working: bool = False
    paused: bool = False
    trouble: str = ""
