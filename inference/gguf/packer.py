"""Streams tensors from the GGUF file into the data file, a slice of rows at a time.

Memory stays near one tensor's scales and one slice, whatever the model's size. `DryPacker` answers
the same questions without reading or writing, so that a model is refused before a byte is written.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from inference.gguf.blocks import Blocks, Bytes, Floats, Layout, as_float32, split_blocks
from inference.gguf.data_file import AnyArray, DataFile
from inference.gguf.graph import Extent
from inference.gguf.minimums import exact_rest, small_rest
from inference.gguf.reader import GgufFile, Tensor

_SLICE_BYTES = 4 << 20
_SMALL_FROM_BYTES = 256 << 10
_NOWHERE = Extent(0, 0)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a matrix, in the order they are wanted; None keeps the file's."""

    tensor: Tensor
    order: NDArray[np.intp] | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """What a product leaves over of the minimums, to be multiplied by the block sums of x.

    Attributes:
        exact: float32[blocks, rows], or None where the small form is used.
        zeros, values, scales: The small form, see `minimums.SmallRest`.
    """

    exact: Extent | None = None
    zeros: Extent = _NOWHERE
    values: Extent = _NOWHERE
    scales: Extent = _NOWHERE


@dataclass(frozen=True, slots=True)
class Packed:
    """A quantised matrix in the data file.

    Attributes:
        values: uint8[rows, columns * bits / 8].
        scales: float32[rows, columns / block].
        rest: For products, where the layout has a minimum.
        offsets: float32 like `scales`, for lookups, where the layout has a minimum.
    """

    layout: Layout
    rows: int
    columns: int
    values: Extent
    scales: Extent
    rest: Rest | None = None
    offsets: Extent | None = None

    @property
    def blocks(self) -> int:
        """Blocks in a row."""
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
        rest = Rest() if layout.has_minimum and product else None
        offsets = _NOWHERE if layout.has_minimum and lookup else None
        columns = parts[0].tensor.shape[1]
        return Packed(layout, rows, columns, _NOWHERE, _NOWHERE, rest, offsets)

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
        scales: list[Floats] = []
        minimums: list[Floats] = []

        def fill() -> None:
            for blocks in self._blocks_of(parts):
                self._data.append(blocks.packed)
                scales.append(blocks.scales)
                if blocks.minimums is not None:
                    minimums.append(blocks.minimums)

        values = self._data.extent(fill)
        all_scales = np.concatenate(scales)
        packed_scales = self._data.array(all_scales)
        rest = offsets = None
        if layout.has_minimum:
            all_minimums = np.concatenate(minimums)
            if product:
                rest = self._rest(all_scales, all_minimums, layout.zero)
            if lookup:
                offsets = self._data.array(exact_rest(all_scales, all_minimums, layout.zero))
        rows, columns = len(all_scales), parts[0].tensor.shape[1]
        return Packed(layout, rows, columns, values, packed_scales, rest, offsets)

    def plain(self, parts: Sequence[Rows]) -> Extent:
        """Store matrices of one float type as they are."""

        def fill() -> None:
            for part in parts:
                for rows in self._slices(part):
                    self._check_numbers(part.tensor, as_float32(part.tensor.type.name, rows))
                    self._data.append(rows)

        return self._data.extent(fill)

    def array(self, array: AnyArray) -> Extent:
        """Store an array."""
        return self._data.array(array)

    def _rest(self, scales: Floats, minimums: Floats, zero: int) -> Rest:
        # Up to here the float product lies in the cache and costs no more than the 8-bit one.
        is_large = minimums.nbytes >= _SMALL_FROM_BYTES
        small = small_rest(scales, minimums) if is_large and not self._exact else None
        if small is None:
            return Rest(exact=self._data.array(exact_rest(scales, minimums, zero).T))
        return Rest(
            zeros=self._data.array(small.zeros),
            values=self._data.array(small.values),
            scales=self._data.array(small.scales),
        )

    def _blocks_of(self, parts: Sequence[Rows]) -> Iterator[Blocks]:
        for part in parts:
            for rows in self._slices(part):
                blocks = split_blocks(part.tensor.type.name, rows)
                self._check_numbers(part.tensor, blocks.scales)
                if blocks.minimums is not None:
                    self._check_numbers(part.tensor, blocks.minimums)
                yield blocks

    def _check_numbers(self, tensor: Tensor, numbers: Floats) -> None:
        """One bad number makes every answer noise, and the runtime would not say why."""
        if not np.isfinite(numbers).all():
            raise self._file.metadata.damaged(f"tensor {tensor.name} holds what is no number")

    def _slices(self, part: Rows) -> Iterator[Bytes]:
        tensor = part.tensor
        rows = matrix_bytes(self._file, tensor)
        step = max(1, _SLICE_BYTES // rows.shape[1])
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            yield rows[start:stop] if part.order is None else rows[part.order[start:stop]]
            self._done_bytes += (stop - start) * rows.shape[1]
            self._progress(self._done_bytes)
        del rows
        self._file.forget(tensor)


def matrix_bytes(file: GgufFile, tensor: Tensor) -> Bytes:
    """Return a view of a tensor's bytes, uint8[rows, bytes of a row]."""
    flat: Bytes = np.frombuffer(file.map, np.uint8, tensor.length_bytes, tensor.start)
    return flat.reshape(tensor.shape[0] if len(tensor.shape) > 1 else 1, -1)
