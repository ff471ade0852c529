"""The bytes of one file that have come, and the proof that they are the right ones.

Nothing but the part file itself is needed to go on after a kill: it is written without a buffer,
its size is how far it is, and its name tells path and content, so that bytes of two versions never
mix.
"""

import errno
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.atomic import sync_folder
from app.errors import AppError, NoSpace
from app.models.hub.paths import PARTS_FOLDER
from app.models.hub.values import RemoteFile
from app.models.room import free_bytes, write_failed
from inference.errors import InferenceError

if TYPE_CHECKING:
    from hashlib import _Hash

_BLOCK_BYTES = 1 << 20
_NAME_DIGITS = 16
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def part_path(folder: Path, file: RemoteFile) -> Path:
    """Return where the bytes of `file` grow."""
    name = hashlib.sha256(file.path.encode()).hexdigest()[:_NAME_DIGITS]
    return folder / PARTS_FOLDER / f"{name}-{file.digest}.part"


def stored_bytes(folder: Path, file: RemoteFile) -> int:
    """Return how many bytes of `file` are there, finished or not, as far as sizes tell."""
    for path in (folder / file.path, part_path(folder, file)):
        with suppress(OSError):
            return min(path.stat().st_size, file.bytes)
    return 0


def missing_bytes(folder: Path, files: Iterable[RemoteFile]) -> int:
    """Return how many bytes of `files` are still to come."""
    return sum(file.bytes - stored_bytes(folder, file) for file in files)


def holds(path: Path, file: RemoteFile) -> bool:
    """Return whether `path` is exactly `file`; reads it whole."""
    try:
        if path.stat().st_size != file.bytes:
            return False
        return _hash_of(path, file).hexdigest() == file.digest
    except OSError:
        return False


class Part:
    """One part file, opened; not for two threads at once.

    Attributes:
        bytes: How many have come.
    """

    def __init__(self, folder: Path, file: RemoteFile) -> None:
        """Open the part; what an earlier run left is taken over by `take_over`.

        Raises:
            NoSpace: The disk is full.
            WriteFailed: The folder cannot be written.
        """
        self.file = file
        self._folder = folder
        self._path = part_path(folder, file)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Unbuffered: what was written survives this process.
            self._opened = os.fdopen(os.open(self._path, _FLAGS, 0o600), "r+b", buffering=0)
        except OSError as error:
            raise self._refused(error) from error
        self._digest = _new_hash(file)
        self.bytes = 0

    def take_over(self) -> None:
        """Read what an earlier run left; takes a second a gigabyte.

        Raises:
            WriteFailed: It cannot be read.
        """
        try:
            left_bytes = self._path.stat().st_size
            if left_bytes > self.file.bytes:
                self.restart()
                return
            self._digest = _hash_of(self._path, self.file)
            self._opened.seek(left_bytes)
        except OSError as error:
            raise write_failed(error) from error
        self.bytes = left_bytes

    @property
    def is_whole(self) -> bool:
        """Whether all bytes have come, right or wrong."""
        return self.bytes == self.file.bytes

    @property
    def is_proven(self) -> bool:
        """Whether all bytes have come and are the right ones."""
        return self.is_whole and self._digest.hexdigest() == self.file.digest

    def write(self, chunk: bytes) -> None:
        """Append `chunk`, which must fit.

        Raises:
            NoSpace: The disk is full.
            WriteFailed: The system refused.
        """
        view = memoryview(chunk)
        try:
            while view:
                count = self._opened.write(view) or 0
                self._digest.update(view[:count])
                self.bytes += count
                view = view[count:]
        except OSError as error:
            raise self._refused(error) from error

    def restart(self) -> None:
        """Throw everything away."""
        self._opened.seek(0)
        self._opened.truncate()
        self._digest = _new_hash(self.file)
        self.bytes = 0

    def place(self, final: Path) -> None:
        """Give the proven file its name, so that it is there whole even after a power cut.

        Raises:
            NoSpace: The disk is full.
            WriteFailed: The system refused.
        """
        try:
            os.fsync(self._opened.fileno())
            self._opened.close()
            final.parent.mkdir(parents=True, exist_ok=True)
            self._path.replace(final)
            sync_folder(final.parent)
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Let go of the file; what came stays."""
        self._opened.close()

    def _refused(self, error: OSError) -> AppError | InferenceError:
        if error.errno not in _FULL:
            return write_failed(error)
        free = free_bytes(self._path.parent)
        return NoSpace(needed_bytes=missing_bytes(self._folder, [self.file]), free_bytes=free)


def _new_hash(file: RemoteFile) -> "_Hash":
    """SHA-256, or as git names a blob: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects."""
    if file.is_sha256:
        return hashlib.sha256()
    return hashlib.sha1(b"blob %d\0" % file.bytes, usedforsecurity=False)


def _hash_of(path: Path, file: RemoteFile) -> "_Hash":
    digest = _new_hash(file)
    with path.open("rb") as opened:
        while block := opened.read(_BLOCK_BYTES):
            digest.update(block)
    return digest
