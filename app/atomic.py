"""Writing a small file so that it is old or new, whatever happens in between."""

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, replace: bool = True) -> None:
    """Write `content` to `path`, readable by its owner only, and see that it is on the disk.

    Raises:
        FileExistsError: `replace` is False and there is a file already; it stays as it is.
        OSError: The system refused; what was there before stays as it is.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        # Path.open takes no opener, and the mode must be right before the first byte.
        with open(partial, "wb", opener=_open_private) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            partial.replace(path)
        else:
            _move_to_free_place(partial, path)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    sync_folder(path.parent)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _move_to_free_place(partial: Path, path: Path) -> None:
    """Move without replacing: a rename refuses that on Windows, and a hard link elsewhere."""
    if os.name == "nt":
        partial.rename(path)
        return
    try:
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links, such as that of a memory stick
        if path.exists():
            raise FileExistsError(path) from None
        partial.replace(path)


def sync_folder(folder: Path) -> None:
    """Make a new name last through a power cut, where the system lets folders be synced."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)
