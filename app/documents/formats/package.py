"""ZIP packages as office files are: parts by name, unpacked only within a budget.

The directory is asked before anything is unpacked, and no more than it says is ever taken out of a
part. Nothing is written anywhere, so that a name cannot lead out of a folder.
"""

import encodings.cp437  # noqa: F401 - zipfile reads names with it, and the walls stand then
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NoReturn

from app.documents.formats.format import (
    Budget,
    Damaged,
    PasswordNeeded,
    Source,
    TooMuch,
    Unsupported,
)
from app.documents.formats.markup import Element, parse, stream

LARGEST_PART_BYTES = 250_000_000
LARGEST_TREE_BYTES = 40_000_000
_MOST_MEMBERS = 100_000
# Deflate cannot do better than 1,030; real parts of this size stay below 150.
_SUSPICIOUS_BYTES = 20_000_000
_LARGEST_RATIO = 300
_IS_ENCRYPTED = 0x1
# What zipfile and zlib raise over a file that lies about itself.
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    RuntimeError,
    NotImplementedError,
)


class Package:
    """An open package; one thread.

    Names are compared without case, as the rules for such packages ask.
    """

    def __init__(self, source: Source, budget: Budget, password: str | None = None) -> None:
        """Read the directory; `password` opens members that ZIP's own encryption locks.

        Raises:
            Damaged: It is no ZIP file, or a cut one.
            TooMuch: It has too many members.
        """
        self._budget = budget
        self._password = password.encode() if password else None
        try:
            self._zip = zipfile.ZipFile(source.stream)
            members = self._zip.infolist()
        except BROKEN as error:
            raise Damaged from error
        if len(members) > _MOST_MEMBERS:
            raise TooMuch("number of files inside")
        self._members = {_key(member.filename): member for member in reversed(members)}

    def names(self) -> tuple[str, ...]:
        """Return the parts' names as they are spelled, in the directory's order."""
        return tuple(member.filename for member in reversed(self._members.values()))

    def has(self, name: str) -> bool:
        """Tell whether there is a part `name`."""
        return _key(name) in self._members

    def size_bytes(self, name: str) -> int:
        """Return what the part `name` unpacks to, or 0 where there is none."""
        member = self._members.get(_key(name))
        return member.file_size if member else 0

    def read(self, name: str, limit_bytes: int = LARGEST_TREE_BYTES) -> bytes:
        """Return the part `name`, or nothing where there is none.

        Raises:
            Damaged: It cannot be unpacked.
            PasswordNeeded: It is encrypted.
            TooMuch: It is larger than the limit or the budget.
        """
        if not self.has(name):
            return b""
        with self.open(name, limit_bytes) as unpacked:
            return unpacked.read()

    @contextmanager
    def open(self, name: str, limit_bytes: int = LARGEST_PART_BYTES) -> Iterator[IO[bytes]]:
        """Give the part `name` to be read from; raises what `read` does, also while reading."""
        member = self._members.get(_key(name))
        if member is None:
            raise Damaged
        self._check(member, limit_bytes)
        try:
            with self._zip.open(member, pwd=self._password) as unpacked:
                yield unpacked
        except BROKEN as error:
            _refuse(error, is_locked=bool(member.flag_bits & _IS_ENCRYPTED))

    def tree(self, name: str) -> Element | None:
        """Return the root of the XML in the part `name`, or None where there is no such part.

        Raises:
            Damaged: It is no XML.
            TooMuch: It is larger than the limit or the budget.
        """
        return parse(self.read(name)) if self.has(name) else None

    def elements(self, name: str, parents: frozenset[str]) -> Iterator[Element]:
        """Yield what lies directly below elements called `parents` in the XML part `name`.

        Each one is gone when the next is asked for: a part of any size takes little memory.
        `parents` are short names, as `markup.short` gives. Raises what `tree` does.
        """
        with self.open(name) as unpacked:
            yield from stream(unpacked, parents)

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relations of the part `name`: type and target by id.

        The type is the last word of its address, such as `image`; targets inside the package are
        full names, those outside are empty.
        """
        folder, file_name = posixpath.split(name)
        tree = self.tree(posixpath.join(folder, "_rels", f"{file_name}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in tree if tree is not None else ():
            kind = relation.get("Type", "").rpartition("/")[2]
            target = relation.get("Target", "")
            is_outside = relation.get("TargetMode") == "External"
            found[relation.get("Id", "")] = (kind, "" if is_outside else _joined(folder, target))
        return found

    def root_part(self, kind: str, default: str) -> str:
        """Return the part that the package itself has a relation of this type to.

        `default` is where producers put it that state no relation. Raises what `tree` does.
        """
        roots = self.relations("").values()
        return next((to for found, to in roots if found == kind), "") or default

    def _check(self, member: zipfile.ZipInfo, limit_bytes: int) -> None:
        if member.flag_bits & _IS_ENCRYPTED and self._password is None:
            raise PasswordNeeded
        is_dense = member.file_size > _LARGEST_RATIO * max(1, member.compress_size)
        if member.file_size > limit_bytes or (is_dense and member.file_size > _SUSPICIOUS_BYTES):
            raise TooMuch("size when unpacked")
        self._budget.take_bytes(member.file_size)


def _refuse(error: Exception, *, is_locked: bool) -> NoReturn:
    if isinstance(error, NotImplementedError):
        raise Unsupported("packed in a way that Snug cannot unpack") from error
    if is_locked and isinstance(error, RuntimeError):
        raise PasswordNeeded from error
    raise Damaged from error


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _joined(folder: str, target: str) -> str:
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")
