"""What is left of a block's minimum once a product has taken its share.

MatMulNBits knows scales and whole zero points, no minimums. Exactly: give it the default zero point
and multiply the block sums of x by the rest, `minimum + zero * scale`, in float32. That costs up to
a third of decoding. Faster: give each block the whole zero point next to its minimum. Then less
than half a step is left, and 8 bits hold that to within 0.05 % of the weights (measured; perplexity
does not move). Blocks whose minimum no zero point comes near are found, and their tensor is kept
exactly.
"""

from dataclasses import dataclass

import numpy as np

from inference.gguf.blocks import Bytes, Floats

REST_BLOCK = 16
"""Block sums that share a scale in the 8-bit product of a `SmallRest`."""

_LARGEST_ZERO = 15
_WORST_STEP_ERROR = 0.01


@dataclass(frozen=True, slots=True)
class SmallRest:
    """Zero points and what they leave over.

    Attributes:
        zeros: uint8[rows, (blocks + 1) / 2], two zero points a byte.
        values: uint8[rows, groups, REST_BLOCK], centred on 128, padded with 128.
        scales: float32[rows, groups].
    """

    zeros: Bytes
    values: Bytes
    scales: Floats


def exact_rest(scales: Floats, minimums: Floats, zero: int) -> Floats:
    """Return float32[rows, blocks]: what to add for each block of x with the default zero point."""
    return minimums + np.float32(zero) * scales


def small_rest(scales: Floats, minimums: Floats) -> SmallRest | None:
    """Return the rest in 8 bits, or None where that would change the weights too much."""
    steps = np.where(scales == 0, np.float32(1), scales)
    zeros = np.clip(np.rint(-minimums / steps), 0, _LARGEST_ZERO)
    rest = minimums + scales * zeros
    rows, blocks = rest.shape
    groups = -(-blocks // REST_BLOCK)
    grouped = np.zeros((rows, groups * REST_BLOCK), np.float32)
    grouped[:, :blocks] = rest
    grouped = grouped.reshape(rows, groups, REST_BLOCK)
    tops = np.abs(grouped).max(-1) / 127
    divisors = np.where(tops == 0, np.float32(1), tops)[..., None]
    rounded = np.rint(grouped / divisors)
    error = rounded * divisors - grouped
    if np.square(error).sum() > _WORST_STEP_ERROR**2 * np.square(scales).sum():
        return None
    return SmallRest(_pack_pairs(zeros.astype(np.uint8)), (rounded + 128).astype(np.uint8), tops)


def _pack_pairs(numbers: Bytes) -> Bytes:
    padded = np.pad(numbers, [(0, 0), (0, numbers.shape[1] % 2)])
    packed: Bytes = padded[:, 0::2] | padded[:, 1::2] << np.uint8(4)
    return packed
