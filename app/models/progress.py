"""How far a fetch of several files is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileProgress:
    """How far one file is."""

    path: str
    done_bytes: int
    bytes: int


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far all files of a request are."""

    files: tuple[FileProgress, ...]

    @property
    def done_bytes(self) -> int:
        """Of all files."""
        return sum(file.done_bytes for file in self.files)

    @property
    def total_bytes(self) -> int:
        """Of all files."""
        return sum(file.bytes for file in self.files)
