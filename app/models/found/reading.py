"""Reads what other programs wrote, of which nothing is trusted: not its size, not its kind.

Everything here returns what can be had and never raises: one hostile or unreadable file must not
keep the others from being found.
"""

import json
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

MAX_ENTRIES = 20_000

_MAX_TEXT_BYTES = 1 << 20
_GGUF_SUFFIX = ".gguf"

Identity = tuple[int, int]


def identity(path: Path) -> Identity | None:
    """Return what tells a plain file from every other one, links followed; None if it is none.

    A pipe or a device is none: opening it could wait forever.
    """
    try:
        state = path.stat()
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


def text(path: Path) -> str:
    """Return a small text file; empty if it is too large, no plain file or cannot be read."""
    if identity(path) is None:
        return ""
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_TEXT_BYTES + 1)
    except OSError:
        return ""
    return "" if len(body) > _MAX_TEXT_BYTES else body.decode("utf-8-sig", "replace")


def json_object(path: Path) -> dict[str, Any]:
    """Return a small JSON file that holds an object; an empty one if it does not."""
    try:
        found = json.loads(text(path))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def folder(name: object) -> Path | None:
    """Return the folder that a program's settings name; None for what is no absolute path."""
    if not isinstance(name, str) or "\0" in name or not (path := Path(name)).is_absolute():
        return None
    return path


def entries(where: Path, most: int = MAX_ENTRIES) -> list[os.DirEntry[str]]:
    """Return what a folder holds, by name, at most so many; nothing if it cannot be read."""
    try:
        with os.scandir(where) as found:
            some = list(islice(found, most))
    except (OSError, ValueError):
        return []
    return sorted(some, key=lambda entry: entry.name)


def gguf_files(where: Path, *, depth: int) -> Iterator[Path]:
    """Yield the GGUF files below a folder, at most `depth` folders down.

    Links are followed, as these programs make them, but no folder is looked into twice.
    """
    waiting, seen, left = [(where, depth)], set[Identity](), MAX_ENTRIES
    while waiting and left:
        now, more = waiting.pop()
        below: list[tuple[Path, int]] = []
        for entry in entries(now, left):
            left -= 1
            path = Path(entry.path)
            if _is_new_folder(entry, seen):
                if more:
                    below.append((path, more - 1))
            elif entry.name.lower().endswith(_GGUF_SUFFIX) and identity(path):
                yield path
        waiting += reversed(below)


def _is_new_folder(entry: os.DirEntry[str], seen: set[Identity]) -> bool:
    try:
        if entry.name.startswith(".") or not entry.is_dir():
            return False
        state = os.stat(entry.path)  # noqa: PTH116 - entry.stat() knows no inode on Windows
    except OSError:
        return False
    known = (state.st_dev, state.st_ino)
    if known in seen:
        return False
    seen.add(known)
    return True
