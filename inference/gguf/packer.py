"""Streams tensors from the GGUF file into the data file, a slice of rows at a time.

Memory stays near one tensor, whatever the model's size. `DryPacker` answers
the same questions without reading or writing, so that a model is refused before a byte is written.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from inference.gguf.blocks import (
    Bytes,
    Floats,
    Layout,
    Sizes,
    as_float32,
    block_numbers,
    block_sizes,
)
from inference.gguf.data_file import AnyArray, DataFile
from inference.gguf.graph import Extent
from inference.gguf.minimums import NarrowRest, exact_rest, narrow_rest
from inference.gguf.reader import GgufFile, Tensor

_SLICE_BYTES = 4 << 20
_NOWHERE = Extent(0, 0)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a matrix, in the order they are wanted; None keeps the file's."""

    tensor: Tensor
    order: NDArray[np.intp] | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """A quantised matrix in the data file.

    Attributes:
        values: uint8[rows, columns * bits / 8].
        scales: float32[rows, columns / block].
        rest: float32[columns / block, rows], for products, where the layout has a minimum: what to
            multiply by the block sums of x.
        zeros: Instead of `rest`: zero points, with the rest in further blocks of `values` and
            `scales`; see `minimums.NarrowRest`.
        offsets: float32 like `scales`, for lookups, where the layout has a minimum.
    """

    layout: Layout
    rows: int
    columns: int
    values: Extent
    scales: Extent
    rest: Extent | None = None
    zeros: Extent | None = None
    offsets: Extent | None = None

    @property
    def blocks(self) -> int:
        """Blocks in a row, those of the rest left out."""
        return self.columns // self.layout.block


class Packer(Protocol):
    """Where weights go."""

    def quantised(
        self, parts: Sequence[Rows], layout: Layout, *, product: bool, lookup: bool
    ) -> Packed:
        """Store matrices of one layout one below the other, for products, for lookups, or both."""
        ...

    def plain(self, parts: Sequence[Rows]) -> Extent:
        """Store matrices of one float type one below the other, as they are."""
        ...

    def array(self, array: AnyArray) -> Extent:
        """Store an array."""
        ...


class DryPacker:
    """Stores nothing."""

    def quantised(
        self, parts: Sequence[Rows], layout: Layout, *, product: bool, lookup: bool
    ) -> Packed:
        """Return what would be stored."""
        rows = sum(part.tensor.shape[0] for part in parts)
        columns = parts[0].tensor.shape[1]
        rest = _NOWHERE if layout.has_minimum and product else None
        offsets = _NOWHERE if layout.has_minimum and lookup else None
        return Packed(layout, rows, columns, _NOWHERE, _NOWHERE, rest=rest, offsets=offsets)

    def plain(self, parts: Sequence[Rows]) -> Extent:  # noqa: ARG002
        """Store nothing."""
        return _NOWHERE

    def array(self, array: AnyArray) -> Extent:  # noqa: ARG002
        """Store nothing."""
        return _NOWHERE


class FilePacker:
    """Stores weights in a data file.

    Args:
        exact: Keep minimums exactly, whatever that costs in speed.
        progress: Called with the bytes of the source that have been read so far.
    """

    def __init__(
        self, file: GgufFile, data: DataFile, *, exact: bool, progress: Callable[[int], None]
    ) -> None:
        self._file = file
        self._data = data
        self._exact = exact
        self._progress = progress
        self._done_bytes = 0

    def quantised(
        self, parts: Sequence[Rows], layout: Layout, *, product: bool, lookup: bool
    ) -> Packed:
        """Store matrices of one layout, their scales, and what their minimums need."""
        sizes = self._sizes(parts, layout)
        scales, minimums = sizes.scales, sizes.minimums
        narrow: NarrowRest | None = None
        # A lookup reads rows that hold nothing but weights.
        if minimums is not None and not self._exact and not lookup:
            narrow = narrow_rest(scales, minimums, layout)
        values = self._data.extent(lambda: self._append_numbers(parts, narrow))
        columns = parts[0].tensor.shape[1]
        if narrow is not None:
            scales = np.concatenate([scales, narrow.scales], 1)
            zeros = self._data.array(narrow.zeros)
            stored = self._data.array(scales)
            return Packed(layout, len(scales), columns, values, stored, zeros=zeros)
        packed = Packed(layout, len(scales), columns, values, self._data.array(scales))
        if minimums is None:
            return packed
        rest = exact_rest(scales, minimums, layout)
        return replace(
            packed,
            rest=self._data.array(rest.T) if product else None,
            offsets=self._data.array(rest) if lookup else None,
        )

    def plain(self, parts: Sequence[Rows]) -> Extent:
        """Store matrices of one float type as they are."""

        def fill() -> None:
            for part in parts:
                for rows in self._slices(part):
                    self._check_numbers(part.tensor, as_float32(part.tensor.type.name, rows))
                    self._data.append(rows)
                    self._advance(rows)
                self._file.forget(part.tensor)

        return self._data.extent(fill)

    def array(self, array: AnyArray) -> Extent:
        """Store an array."""
        return self._data.array(array)

    def _sizes(self, parts: Sequence[Rows], layout: Layout) -> Sizes:
        """Read scales and minimums of whole matrices, which decide how numbers are stored."""
        rows, columns = sum(part.tensor.shape[0] for part in parts), parts[0].tensor.shape[1]
        scales = np.empty((rows, columns // layout.block), np.float32)
        minimums = np.empty_like(scales) if layout.has_minimum else None
        begin = 0
        for part in parts:
            for raw in self._slices(part):
                sizes = block_sizes(part.tensor.type.name, raw)
                end = begin + len(raw)
                scales[begin:end] = sizes.scales
                if minimums is not None:
                    minimums[begin:end] = sizes.minimums
                begin = end
                for numbers in (sizes.scales, sizes.minimums):
                    self._check_numbers(part.tensor, numbers)
        return Sizes(scales, minimums)

    def _append_numbers(self, parts: Sequence[Rows], rest: NarrowRest | None) -> None:
        begin = 0
        for part in parts:
            for raw in self._slices(part):
                packed = block_numbers(part.tensor.type.name, raw)
                end = begin + len(raw)
                if rest is not None:
                    packed = np.concatenate([packed, rest.columns[begin:end]], 1)
                self._data.append(packed)
                begin = end
                self._advance(raw)
            self._file.forget(part.tensor)

    def _check_numbers(self, tensor: Tensor, numbers: Floats | None) -> None:
        """One bad number makes every answer noise, and the runtime would not say why."""
        if numbers is not None and not np.isfinite(numbers).all():
            raise self._file.metadata.damaged(f"tensor {tensor.name} holds what is no number")

    def _slices(self, part: Rows) -> Iterator[Bytes]:
        rows = matrix_bytes(self._file, part.tensor)
        step = max(1, _SLICE_BYTES // rows.shape[1])
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            yield rows[start:stop] if part.order is None else rows[part.order[start:stop]]

    def _advance(self, raw: Bytes) -> None:
        self._done_bytes += raw.size
        self._progress(self._done_bytes)


def matrix_bytes(file: GgufFile, tensor: Tensor) -> Bytes:
    """Return a view of a tensor's bytes, uint8[rows, bytes of a row]."""
    flat: Bytes = np.frombuffer(file.map, np.uint8, tensor.length_bytes, tensor.start)
    return flat.reshape(tensor.shape[0] if len(tensor.shape) > 1 else 1, -1)
