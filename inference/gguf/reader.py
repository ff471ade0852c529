"""Opens a GGUF file: what it says about itself, and where each tensor's bytes are.

The file is mapped and its tensors stay where they are. Only the standard library is used: a folder
of models is listed without numpy, in milliseconds.
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from inference.errors import ModelDamaged, ModelMissing
from inference.gguf.cursor import Cursor, shown
from inference.gguf.metadata import Metadata
from inference.gguf.tensor_types import TensorType, tensor_type

_HEAD = struct.Struct("<4sIQQ")
_NUMBER = struct.Struct("<I")
_PLACE = struct.Struct("<IQ")
_VERSIONS = (2, 3)
_LONGEST_NAME_BYTES = 256
_MOST_TENSORS = 65_536
_MOST_DIMENSIONS = 4
_LARGEST_ALIGNMENT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a file.

    Attributes:
        shape: Outermost dimension first, so a matrix is (rows, columns).
        start: Position of its first byte in the file.
        length_bytes: 0 where the type is known by name only.
    """

    name: str
    type: TensorType
    shape: tuple[int, ...]
    start: int
    length_bytes: int

    @property
    def weights(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


class GgufFile:
    """A mapped GGUF file of version 2 or 3.

    Raises:
        ModelMissing: There is no such file, or it cannot be opened.
        ModelDamaged: It is no GGUF file, or what it says about itself cannot be true.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.map = _map(path)
        cursor = Cursor(self.map, path.name)
        tensor_count, pair_count = _read_head(cursor)
        self.metadata = Metadata(self.map, cursor, pair_count)
        self.tensors = self._read_tensors(cursor, tensor_count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Unmap the file, or leave that to the last array that still looks into it."""
        try:
            self.map.close()
        except BufferError:
            return

    def forget(self, tensor: Tensor) -> None:
        """Tell the system that these pages are not needed again, so that memory does not fill."""
        if hasattr(mmap, "MADV_DONTNEED"):
            first = -(-tensor.start // mmap.PAGESIZE) * mmap.PAGESIZE
            length = tensor.start + tensor.length_bytes - first
            if length > 0:
                self.map.madvise(mmap.MADV_DONTNEED, first, length)

    def _read_tensors(self, cursor: Cursor, count: int) -> dict[str, Tensor]:
        if count > _MOST_TENSORS:
            raise cursor.damaged("too many tensors")
        heads = [_read_tensor_head(cursor) for _ in range(count)]
        alignment = self.metadata.integer("general.alignment", 32)
        if not 0 < alignment <= _LARGEST_ALIGNMENT_BYTES:
            raise cursor.damaged("general.alignment is absurd")
        base = -(-cursor.at // alignment) * alignment
        tensors: dict[str, Tensor] = {}
        for name, shape, kind, offset in heads:
            if name in tensors:
                raise cursor.damaged(f"tensor {shown(name)} is there twice")
            length = _length_bytes(cursor, name, shape, kind)
            if offset % alignment or base + offset + length > len(self.map):
                raise cursor.damaged(f"tensor {shown(name)} lies outside the file")
            tensors[name] = Tensor(name, kind, shape, base + offset, length)
        return tensors


def _map(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:
        raise ModelDamaged(file=path.name, reason="it is empty") from error
    except OSError as error:
        raise ModelMissing(model=path.name) from error


def _read_head(cursor: Cursor) -> tuple[int, int]:
    magic, version, tensor_count, pair_count = cursor.numbers(_HEAD)
    if magic != b"GGUF":
        raise cursor.damaged("it is not a GGUF file")
    if version & 0xFFFF == 0:
        raise cursor.damaged("it is a big-endian GGUF file")
    if version not in _VERSIONS:
        raise cursor.damaged(f"it is a GGUF file of version {version}")
    return tensor_count, pair_count


def _read_tensor_head(cursor: Cursor) -> tuple[str, tuple[int, ...], TensorType, int]:
    name = cursor.text(longest_bytes=_LONGEST_NAME_BYTES)
    (dimensions,) = cursor.numbers(_NUMBER)
    if not 0 < dimensions <= _MOST_DIMENSIONS:
        raise cursor.damaged(f"tensor {shown(name)} has {dimensions} dimensions")
    shape = cursor.numbers(struct.Struct(f"<{dimensions}Q"))[::-1]
    kind, offset = cursor.numbers(_PLACE)
    return name, shape, tensor_type(kind), offset


def _length_bytes(cursor: Cursor, name: str, shape: tuple[int, ...], kind: TensorType) -> int:
    if min(shape) < 1 or shape[-1] % kind.weights:
        raise cursor.damaged(f"tensor {shown(name)} has an impossible shape")
    return math.prod(shape) // kind.weights * kind.block_bytes
