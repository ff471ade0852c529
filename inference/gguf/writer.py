"""Writes a GGUF file of version 3, a tensor at a time."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Value: TypeAlias = str | bool | int | float | Sequence[str] | Sequence[int]

_MAGIC = b"GGUF"
_VERSION = 3
_ALIGNMENT = 32
_UINT32, _INT32, _FLOAT32, _BOOL, _TEXT, _ARRAY = 4, 5, 6, 7, 8, 9


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """A tensor to be written.

    Attributes:
        number: GGUF's number of its type.
        shape: Outermost dimension first.
        length_bytes: Of its data.
        data: Makes the data, uint8[length_bytes]; called when its turn has come.
    """

    name: str
    number: int
    shape: tuple[int, ...]
    length_bytes: int
    data: Callable[[], NDArray[np.uint8]]


def write_gguf(path: Path, pairs: Mapping[str, Value], tensors: Sequence[TensorPlan]) -> int:
    """Write a file and return its size in bytes.

    Raises:
        OSError: It cannot be written.
    """
    head = bytearray(struct.pack("<4sIQQ", _MAGIC, _VERSION, len(tensors), len(pairs)))
    for key, value in pairs.items():
        head += _text(key) + _typed(value)
    offset = 0
    for tensor in tensors:
        dimensions = tensor.shape[::-1]
        head += _text(tensor.name)
        head += struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
        head += struct.pack("<IQ", tensor.number, offset)
        offset += tensor.length_bytes + _padding(tensor.length_bytes)
    with path.open("wb") as file:
        file.write(head)
        file.write(bytes(_padding(len(head))))
        for tensor in tensors:
            file.write(tensor.data().data)
            file.write(bytes(_padding(tensor.length_bytes)))
        return file.tell()


def _padding(size: int) -> int:
    return -size % _ALIGNMENT


def _text(text: str) -> bytes:
    body = text.encode()
    return struct.pack("<Q", len(body)) + body


def _typed(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", _BOOL, value)
        case int():
            return struct.pack("<II", _UINT32, value)
        case float():
            return struct.pack("<If", _FLOAT32, value)
        case str():
            return struct.pack("<I", _TEXT) + _text(value)
    return struct.pack("<I", _ARRAY) + _array(value)


def _array(values: Sequence[str] | Sequence[int]) -> bytes:
    if values and isinstance(values[0], int):
        return struct.pack(f"<IQ{len(values)}i", _INT32, len(values), *values)
    texts = b"".join(_text(str(value)) for value in values)
    return struct.pack("<IQ", _TEXT, len(values)) + texts
