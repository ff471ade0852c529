"""The file that holds a model's weights, hashed while it is written: nobody reads it again."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inference.digests import FileDigest
from inference.gguf.graph import Extent

AnyArray: TypeAlias = NDArray[np.generic]

_PAGE_BYTES = 4096


class DataFile:
    """Appends arrays to a new file; the runtime maps them, so each extent starts on a page."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._hash = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def extent(self, fill: Callable[[], None]) -> Extent:
        """Return the range that the appends of `fill` cover."""
        self._append(b"\0" * (-self._size % _PAGE_BYTES))
        start = self._size
        fill()
        return Extent(start, self._size - start)

    def append(self, array: AnyArray) -> None:
        """Write an array's bytes at the end."""
        self._append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def array(self, array: AnyArray) -> Extent:
        """Write one array as an extent of its own."""
        return self.extent(lambda: self.append(array))

    def finish(self) -> FileDigest:
        """Make sure that everything is on the disk and return the file's digest."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return FileDigest(self._hash.hexdigest(), self._size)

    def _append(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._hash.update(data)
        self._size += len(data)
