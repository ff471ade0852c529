"""The model's original file, grown part by part.

Its length is the whole record of what has been done: it is always cut back to the end of the last
complete part, so a killed program goes on with the next one, and a wheel can be deleted as soon as
its bytes are in here.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from app.models.catalog import Part
from app.models.task import Task

_CHUNK_BYTES = 1 << 20


class JoinedFile:
    """One such file; used by one thread."""

    def __init__(self, path: Path, parts: Sequence[Part]) -> None:
        self.path = path
        self._ends = (0, *accumulate(part.file_bytes for part in parts))
        self._digest = hashlib.sha256()
        self._count = 0

    @property
    def part_count(self) -> int:
        """Parts that are in the file."""
        return self._count

    @property
    def size_bytes(self) -> int:
        """Bytes of these parts."""
        return self._ends[self._count]

    @property
    def sha256(self) -> str:
        """Of the bytes so far, in hexadecimal."""
        return self._digest.hexdigest()

    def stored_bytes(self) -> int:
        """Return the bytes that `resume` would keep, without reading them."""
        length = self.path.stat().st_size if self.path.exists() else 0
        return max(end for end in self._ends if end <= length)

    def resume(self, task: Task) -> None:
        """Cut the file to its last complete part and read what is left for the checksum.

        Raises:
            Cancelled: The task was stopped.
            OSError: The file cannot be read or written.
        """
        kept = self.stored_bytes()
        self.path.touch()
        os.truncate(self.path, kept)
        self._digest, done = hashlib.sha256(), 0
        with self.path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                task.check()
                self._digest.update(chunk)
                done += len(chunk)
                task.report("checking", done, kept)
        self._count = self._ends.index(kept)

    def append(
        self,
        chunks: Iterable[bytes],
        *,
        task: Task,
        on_bytes: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Add the next part; when that fails the file is as before.

        Raises:
            Cancelled: The task was stopped.
            OSError: The file cannot be written.
        """
        digest, start = self._digest.copy(), self.size_bytes
        try:
            with self.path.open("ab") as file:
                for chunk in chunks:
                    task.check()
                    file.write(chunk)
                    digest.update(chunk)
                    on_bytes(len(chunk))
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            os.truncate(self.path, start)
            raise
        self._digest = digest
        self._count += 1
