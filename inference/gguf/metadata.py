"""The key-value pairs in front of a GGUF file, typed when they are asked for.

Arrays stay where they are, as a position and a count: a vocabulary of 150,000 strings is decoded
when the tokenizer is written and not when a folder of models is listed.
"""

import math
import mmap
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from inference.errors import ModelDamaged
from inference.gguf.cursor import Cursor, shown

Scalar = str | int | float | bool

_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_KIND = struct.Struct("<I")
_ARRAY_HEAD = struct.Struct("<IQ")
_LONGEST_KEY_BYTES = 65_535
_LONGEST_VALUE_BYTES = 16 << 20
# Of all pairs together: the largest vocabularies have some 260,000 tokens and 520,000 merges.
_MOST_PAIRS = 65_536
_MOST_STRINGS = 2_000_000
_MOST_TEXT_BYTES = 32 << 20
# Making a token of every two others takes time with the square of its length.
_LONGEST_ITEM_BYTES = 4096

_T = TypeVar("_T", str, int, float, bool)


@dataclass(frozen=True, slots=True)
class _Array:
    kind: int
    count: int
    at: int


class Metadata:
    """The pairs of one file; every getter raises `ModelDamaged` where the file has another type."""

    def __init__(self, buffer: mmap.mmap | bytes, cursor: Cursor, count: int) -> None:
        if count > _MOST_PAIRS:
            raise cursor.damaged("too many key-value pairs")
        self._buffer = buffer
        self._cursor = cursor
        self._values: dict[str, Scalar | _Array] = {}
        strings, text_bytes = 0, 0
        for _ in range(count):
            key = cursor.text(longest_bytes=_LONGEST_KEY_BYTES)
            if key in self._values:
                raise cursor.damaged(f"{shown(key)} is there twice")
            value = self._values[key] = _read_value(cursor, most_strings=_MOST_STRINGS - strings)
            text_bytes += len(key) + (len(value) if isinstance(value, str) else 0)
            if isinstance(value, _Array) and value.kind == _STRING:
                strings += value.count
            if text_bytes > _MOST_TEXT_BYTES:
                raise cursor.damaged("the texts in front are too long")

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        return self._scalar(key, default, str)

    def integer(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""
        return self._scalar(key, default, int)

    def number(self, key: str, default: float | None = None) -> float:
        """Return a finite number, whole or not."""
        value = self._values.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        number = self._scalar(key, default, float)
        if not math.isfinite(number):
            raise self.damaged(f"{key} is not a finite number")
        return number

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Return true or false."""
        return self._scalar(key, default, bool)

    def is_array(self, key: str) -> bool:
        """Say whether the value is an array: some files have sizes that differ by layer."""
        return isinstance(self._values.get(key), _Array)

    def strings(self, key: str) -> list[str]:
        """Return an array of strings."""
        return list(self.each_string(key))

    def each_string(self, key: str) -> Iterator[str]:
        """Give an array's strings one after the other, so that they need not all be kept."""
        found = self._array(key)
        if found.kind != _STRING:
            raise self.damaged(f"{key} has the wrong type")
        cursor = Cursor(self._buffer, self._cursor.file_name, found.at)
        return cursor.texts(found.count, longest_bytes=_LONGEST_ITEM_BYTES)

    def integers(self, key: str) -> list[int]:
        """Return an array of whole numbers."""
        return list(self._numbers(key, "BbHhIiQq"))

    def floats(self, key: str) -> "array[float]":
        """Return an array of finite float32 numbers; 4 bytes each, as a vocabulary has many."""
        numbers = array("f", self._numbers(key, "f"))
        if not all(map(math.isfinite, numbers)):
            raise self.damaged(f"{key} holds what is not a finite number")
        return numbers

    def flags(self, key: str) -> list[bool]:
        """Return an array of truths."""
        array = self._array(key)
        number = _NUMBERS.get(array.kind)
        if number is None or number.format[-1] != "?":
            raise self.damaged(f"{key} has the wrong type")
        return [byte != 0 for byte in self._buffer[array.at : array.at + array.count]]

    def count(self, key: str) -> int:
        """Return how many items an array has, without reading them."""
        return self._array(key).count

    def damaged(self, reason: str) -> ModelDamaged:
        """Return the error that says so of this file."""
        return self._cursor.damaged(reason)

    def _scalar(self, key: str, default: _T | None, wanted: type[_T]) -> _T:
        value = self._values.get(key, default)
        if value is None:
            raise self.damaged(f"{key} is missing")
        if type(value) is not wanted:
            raise self.damaged(f"{key} has the wrong type")
        return value

    def _numbers(self, key: str, kinds: str) -> tuple[Any, ...]:
        found = self._array(key)
        number = _NUMBERS.get(found.kind)
        if number is None or (kind := number.format[-1]) not in kinds:
            raise self.damaged(f"{key} has the wrong type")
        body = self._buffer[found.at : found.at + found.count * number.size]
        return struct.unpack(f"<{found.count}{kind}", body)

    def _array(self, key: str) -> _Array:
        value = self._values.get(key)
        if not isinstance(value, _Array):
            raise self.damaged(f"{key} is missing or has the wrong type")
        return value


def _read_value(cursor: Cursor, *, most_strings: int) -> Scalar | _Array:
    (kind,) = cursor.numbers(_KIND)
    if kind == _STRING:
        return cursor.text(longest_bytes=_LONGEST_VALUE_BYTES)
    if kind == _ARRAY:
        return _read_array(cursor, most_strings)
    if kind not in _NUMBERS:
        raise cursor.damaged("a value has an unknown type")
    value: Scalar = cursor.numbers(_NUMBERS[kind])[0]
    return value


def _read_array(cursor: Cursor, most_strings: int) -> _Array:
    kind, count = cursor.numbers(_ARRAY_HEAD)
    found = _Array(kind, count, cursor.at)
    if kind == _STRING and count <= most_strings:
        cursor.skip_strings(count)
    elif kind in _NUMBERS:
        cursor.skip(count * _NUMBERS[kind].size)
    else:
        raise cursor.damaged("an array has an unknown type or too many items")
    return found
