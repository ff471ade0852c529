"""What is left of a block's minimum once a product has taken its share.

MatMulNBits knows scales and whole zero points, no minimums. Exactly: give it the default zero point
and multiply the block sums of x by the rest, `minimum + (zero - least) * scale`, in float32. That
costs up to a third of decoding. Faster: give each block the whole zero point next to its minimum,
so that less than half a step is left, and store that behind the row's weights, in as many bits as
they have, as columns for x's block sums. With 4 bits a fiftieth of a step is lost: perplexity does
not move, and the divergence from float32 grows by less than 0.0005 (measured on the standard
model).
Matrices whose minimums no zero point comes near are found, and kept exactly.
"""

from dataclasses import dataclass

import numpy as np

from inference.gguf.blocks import Bytes, Floats, Layout

COLUMN_BLOCK = 32
"""Block sums that share a scale among the columns of a `NarrowRest`, as weights do."""

_PAIRED_BITS = 4
_SLICE_BLOCKS = 1 << 17
_WORST_STEP_ERROR = 0.05


@dataclass(frozen=True, slots=True)
class NarrowRest:
    """Zero points and what they leave over.

    Attributes:
        zeros: uint8[rows, bytes of blocks + groups zero points]; those of the columns at the end.
        columns: uint8[rows, bytes of groups * COLUMN_BLOCK numbers], padded with zeros.
        scales: float32[rows, groups].
    """

    zeros: Bytes
    columns: Bytes
    scales: Floats


def exact_rest(scales: Floats, minimums: Floats, layout: Layout) -> Floats:
    """Return float32[rows, blocks]: what to add for each block of x with the default zero point."""
    return minimums + np.float32(layout.zero - layout.least) * scales


def column_groups(blocks: int) -> int:
    """Return how many groups of columns the rest of so many blocks takes."""
    return -(-blocks // COLUMN_BLOCK)


def narrow_rest(scales: Floats, minimums: Floats, layout: Layout) -> NarrowRest | None:
    """Return the rest in few bits, or None where that would change the weights too much."""
    parts: list[NarrowRest] = []
    lost = allowed = 0.0
    # A slice at a time: what is computed on the way is many times as large as what is kept.
    step = max(1, _SLICE_BLOCKS // scales.shape[1])
    for start in range(0, len(scales), step):
        rows = scales[start : start + step]
        part, error = _narrow_rows(rows, minimums[start : start + step], layout)
        parts.append(part)
        lost += error
        allowed += _WORST_STEP_ERROR**2 * float(np.square(rows).sum())
    if lost > allowed:
        return None
    return NarrowRest(
        zeros=np.concatenate([part.zeros for part in parts]),
        columns=np.concatenate([part.columns for part in parts]),
        scales=np.concatenate([part.scales for part in parts]),
    )


def _narrow_rows(scales: Floats, minimums: Floats, layout: Layout) -> tuple[NarrowRest, float]:
    """Return the rest of some rows, and the sum of the squares of what is lost."""
    middle = layout.zero
    steps = np.where(scales == 0, np.float32(1), scales)
    zeros = np.clip(np.rint(layout.least - minimums / steps), 0, 2 * middle - 1)
    rest = minimums + scales * (zeros - layout.least)
    rows, blocks = rest.shape
    groups = column_groups(blocks)
    grouped = np.zeros((rows, groups * COLUMN_BLOCK), np.float32)
    grouped[:, :blocks] = rest
    grouped = grouped.reshape(rows, groups, COLUMN_BLOCK)
    # The largest number of a group becomes the least there is, whatever its sign.
    peaks = np.take_along_axis(grouped, np.abs(grouped).argmax(-1, keepdims=True), -1)
    tops = (peaks / -middle).astype(np.float32)
    divisors = np.where(tops == 0, np.float32(1), tops)
    rounded = np.clip(np.rint(grouped / divisors), -middle, middle - 1)
    column_zeros = np.full((rows, groups), middle, np.float32)
    narrow = NarrowRest(
        zeros=_packed(np.concatenate([zeros, column_zeros], 1), layout.bits),
        columns=_packed((rounded + middle).reshape(rows, -1), layout.bits),
        scales=tops[..., 0],
    )
    return narrow, float(np.square(rounded * divisors - grouped).sum())


def _packed(numbers: Floats, bits: int) -> Bytes:
    whole = numbers.astype(np.uint8)
    if bits > _PAIRED_BITS:
        return whole
    padded = np.pad(whole, [(0, 0), (0, whole.shape[1] % 2)])
    packed: Bytes = padded[:, 0::2] | padded[:, 1::2] << np.uint8(4)
    return packed
