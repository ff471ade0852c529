"""The file an embedding model comes in: safetensors, with its `tokenizer.json` right behind.

A safetensors file says where its last tensor ends, so the tokenizer needs no mark of its own. The
header is untrusted: every range is checked before a byte of it is used.
"""

import json
import math
import mmap
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from inference.errors import ModelDamaged, ModelMissing

Floats = NDArray[np.float32]

_LENGTH_BYTES = 8
_LONGEST_HEADER_BYTES = 1 << 20
_MOST_DIMENSIONS = 4
_KIND = "F32"
_ITEM_BYTES = 4


class EmbeddingFile:
    """A mapped file of float32 tensors and a tokenizer; one thread.

    Raises:
        ModelMissing: There is no such file, or it cannot be opened.
        ModelDamaged: It is no such file, or what it says about itself cannot be true.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise ModelMissing(model=path.name) from error
        try:
            self._start, self._header = self._read_header()
            self._end = self._read_end()
        except BaseException:
            self._map.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._map.close()

    @property
    def tokenizer(self) -> bytes:
        """The tokenizer's JSON."""
        return self._map[self._end :]

    def tensor(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return a copy of the tensor `name`.

        Raises:
            ModelDamaged: There is none, or it is not float32 of this shape.
        """
        entry = self._header.get(name)
        if not isinstance(entry, dict) or entry.get("dtype") != _KIND:
            raise self._damaged(f"tensor {name} is missing")
        if entry.get("shape") != list(shape):
            raise self._damaged(f"tensor {name} has another shape")
        first, last = self._range(entry)
        if last - first != math.prod(shape) * _ITEM_BYTES:
            raise self._damaged(f"tensor {name} has another length")
        body = self._map[self._start + first : self._start + last]
        return np.frombuffer(body, "<f4").reshape(shape).astype(np.float32, copy=False)

    def has(self, name: str) -> bool:
        """Tell whether there is a tensor `name`."""
        return name in self._header

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of the tensor `name`.

        Raises:
            ModelDamaged: There is none.
        """
        entry = self._header.get(name)
        sizes = entry.get("shape") if isinstance(entry, dict) else None
        if (
            not isinstance(sizes, list)
            or not 0 < len(sizes) <= _MOST_DIMENSIONS
            or not all(type(size) is int and size > 0 for size in sizes)
        ):
            raise self._damaged(f"tensor {name} is missing")
        return tuple(sizes)

    def _read_header(self) -> tuple[int, Mapping[str, Any]]:
        length = int.from_bytes(self._map[:_LENGTH_BYTES], "little")
        start = _LENGTH_BYTES + length
        if not 0 < length <= _LONGEST_HEADER_BYTES or start > len(self._map):
            raise self._damaged("it is not a safetensors file")
        try:
            header = json.loads(self._map[_LENGTH_BYTES:start])
        except (ValueError, RecursionError) as error:
            raise self._damaged("its header is not JSON") from error
        if not isinstance(header, dict):
            raise self._damaged("its header is not an object")
        return start, header

    def _read_end(self) -> int:
        entries = (entry for name, entry in self._header.items() if name != "__metadata__")
        return self._start + max((self._range(entry)[1] for entry in entries), default=0)

    def _range(self, entry: Any) -> tuple[int, int]:
        offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
        if (
            not isinstance(offsets, list)
            or [type(offset) for offset in offsets] != [int, int]
            or not 0 <= offsets[0] <= offsets[1] <= len(self._map) - self._start
        ):
            raise self._damaged("a tensor lies outside the file")
        return offsets[0], offsets[1]

    def _damaged(self, reason: str) -> ModelDamaged:
        return ModelDamaged(file=self._name, reason=reason)
