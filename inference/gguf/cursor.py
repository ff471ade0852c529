"""Reads little-endian numbers and strings out of a mapped file, never past its end.

A GGUF file comes from anywhere. Every count and length in it is checked against the bytes that are
left before anything is allocated or looped over, so a broken one ends in `ModelDamaged` at once.
"""

import mmap
import struct
from collections.abc import Iterator
from typing import Any

from inference.errors import ModelDamaged

_LENGTH = struct.Struct("<Q")
_LONGEST_NAME = 60


def shown(name: str) -> str:
    """Return a name from a file as it may appear in an error: printable, and not a novel."""
    printable = "".join(char if char.isprintable() else "?" for char in name[: _LONGEST_NAME + 1])
    return printable if len(printable) <= _LONGEST_NAME else f"{printable[:_LONGEST_NAME]}…"


class Cursor:
    """A position in a buffer; `file_name` is what the errors call the file."""

    def __init__(self, buffer: mmap.mmap | bytes, file_name: str, at: int = 0) -> None:
        self.at = at
        self._buffer = buffer
        self._end = len(buffer)
        self.file_name = file_name

    def numbers(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Return the numbers that `layout` describes and move past them."""
        start = self.at
        self.skip(layout.size)
        return layout.unpack_from(self._buffer, start)

    def text(self, *, longest_bytes: int) -> str:
        """Return a string with its length in front of it."""
        (length,) = self.numbers(_LENGTH)
        if length > longest_bytes:
            raise self.damaged("a string is too long")
        start = self.at
        self.skip(length)
        try:
            return bytes(self._buffer[start : self.at]).decode()
        except UnicodeDecodeError as error:
            raise self.damaged("a string is not UTF-8") from error

    def texts(self, count: int, *, longest_bytes: int) -> Iterator[str]:
        """Give `count` strings; the position moves past those that were given."""
        length_at, buffer, end = _LENGTH.unpack_from, self._buffer, self._end
        try:
            for _ in range(count):
                start = self.at + _LENGTH.size
                length = length_at(buffer, self.at)[0]
                if length > longest_bytes or start + length > end:
                    raise self.damaged("a string is too long")
                self.at = start + length
                yield buffer[start : self.at].decode()
        except (struct.error, UnicodeDecodeError) as error:
            raise self.damaged("a string is not UTF-8") from error

    def skip(self, length: int) -> None:
        """Move on by `length` bytes."""
        if length > self._end - self.at:
            raise self.damaged("it ends too early")
        self.at += length

    def skip_strings(self, count: int) -> None:
        """Move past `count` strings undecoded: vocabularies have hundreds of thousands."""
        length_at, buffer, at = _LENGTH.unpack_from, self._buffer, self.at
        try:
            for _ in range(count):
                at += _LENGTH.size + length_at(buffer, at)[0]
        except (struct.error, OverflowError) as error:
            raise self.damaged("it ends too early") from error
        self.skip(at - self.at)

    def damaged(self, reason: str) -> ModelDamaged:
        """Return the error that says so of this file."""
        return ModelDamaged(file=self.file_name, reason=reason)
