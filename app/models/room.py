"""Room on the disk, asked for before the first byte, and what a refused write becomes."""

import os
import shutil
from pathlib import Path

from app.errors import NoSpace
from inference.errors import WriteFailed

SPARE_BYTES = 64_000_000


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk that `folder` is on, or will be on once it is made."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def check_room(folder: Path, needed_bytes: int) -> None:
    """Raise NoSpace unless the disk of `folder` has `needed_bytes` and a little more."""
    needed_bytes += SPARE_BYTES
    if (free := free_bytes(folder)) < needed_bytes:
        raise NoSpace(needed_bytes=needed_bytes, free_bytes=free)


def write_failed(error: OSError) -> WriteFailed:
    """Return the typed error of a write that the system refused; no path is in it."""
    return WriteFailed(reason=os.strerror(error.errno).lower() if error.errno else "unknown")
