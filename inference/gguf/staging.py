"""A folder that is either finished or does not look like one.

Everything is written to `<folder>.partial-…` beside the wanted place and renamed at the end. What a
killed import left there is removed when the same folder is imported the next time; one folder is
imported by one process at a time.
"""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inference.errors import WriteFailed


@contextmanager
def staged(folder: Path, *, needed_bytes: int) -> Iterator[Path]:
    """Give a fresh folder to fill; rename it to `folder` at the end, or remove it after an error.

    A folder that is there already is replaced.

    Raises:
        WriteFailed: There is too little space, known before the first byte, or writing failed.
    """
    partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(folder)
        _check_space(folder.parent, needed_bytes)
        partial.mkdir()
        try:
            yield partial
            _sync(partial)
            _put_in_place(partial, folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    except OSError as error:
        raise _write_failed(error, folder.parent, needed_bytes) from error


def _remove_leftovers(folder: Path) -> None:
    prefix = f"{folder.name}.partial-"
    for path in folder.parent.iterdir():
        if path.name.startswith(prefix):
            shutil.rmtree(path, ignore_errors=True)


def _check_space(parent: Path, needed_bytes: int) -> None:
    free_bytes = shutil.disk_usage(parent).free
    if free_bytes < needed_bytes:
        raise WriteFailed(reason="space", needed_bytes=needed_bytes, free_bytes=free_bytes)


def _put_in_place(partial: Path, folder: Path) -> None:
    old = partial.with_name(f"{partial.name}-old")
    if folder.exists():
        folder.rename(old)
    partial.rename(folder)
    _sync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Make the names in a folder durable; Windows has no such call and does it by itself."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_failed(error: OSError, parent: Path, needed_bytes: int) -> WriteFailed:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        free_bytes = shutil.disk_usage(parent).free
        return WriteFailed(reason="space", needed_bytes=needed_bytes, free_bytes=free_bytes)
    return WriteFailed(reason=errno.errorcode.get(error.errno or 0, type(error).__name__))
