"""Takes GGUF's blocks apart and packs them as MatMulNBits wants them, without changing a weight.

A block becomes `weight = scale * (q - zero) + offset`, with q unsigned in 4 or 8 bits and the
operator's default zero point (8 or 128). Types that have no minimum have no offset. Types of five
bits and a minimum lie around the zero point, so that what the operator loses of x is not multiplied
by an offset. q is packed already: in pairs for 4 bits, low nibble first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Layout:
    """How MatMulNBits stores a type; products whose layouts are equal can be joined.

    Attributes:
        bits: Per stored weight.
        block: Weights that share a scale.
        has_minimum: Blocks have a minimum beside the scale.
        least: The smallest stored number where blocks have a minimum.
    """

    bits: int
    block: int
    has_minimum: bool = False
    least: int = 0

    @property
    def zero(self) -> int:
        """The operator's default zero point."""
        return 1 << (self.bits - 1)

    def packed_bytes(self, columns: int) -> int:
        """Bytes of one packed row."""
        return columns * self.bits // 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """What turns the stored numbers of some rows into weights.

    Attributes:
        scales: float32[rows, columns / block].
        minimums: float32 like `scales`: the weight where the stored number is the layout's least;
            None without.
    """

    scales: Floats
    minimums: Floats | None = None


_LEAST_OF_FIVE_BITS = 128 - 16

LAYOUTS = {
    "Q4_0": Layout(4, 32),
    "Q4_1": Layout(4, 32, has_minimum=True),
    "Q5_0": Layout(8, 32),
    "Q5_1": Layout(8, 32, has_minimum=True, least=_LEAST_OF_FIVE_BITS),
    "Q8_0": Layout(8, 32),
    "Q4_K": Layout(4, 32, has_minimum=True),
    "Q5_K": Layout(8, 32, has_minimum=True, least=_LEAST_OF_FIVE_BITS),
    "Q6_K": Layout(8, 16),
}

FLOAT_TYPES = ("F32", "F16", "BF16")

_NIBBLE_SHIFTS = np.array([0, 4], np.uint8)
_PAIR_SHIFTS = np.array([0, 2, 4, 6], np.uint8)
_BIT_SHIFTS = np.arange(32, dtype=np.uint32)
_BYTE_SHIFTS = np.arange(8, dtype=np.uint8)


def block_numbers(type_name: str, rows: Bytes) -> Bytes:
    """Return the packed numbers, uint8[rows, columns * bits / 8], of a type in `LAYOUTS`.

    `rows` is uint8[rows, bytes of a row].
    """
    decoder = _DECODERS[type_name]
    return decoder.numbers(rows.reshape(len(rows), -1, decoder.block_bytes)).reshape(len(rows), -1)


def block_sizes(type_name: str, rows: Bytes) -> Sizes:
    """Return what `block_numbers` are multiplied by and added to."""
    decoder = _DECODERS[type_name]
    return decoder.sizes(rows.reshape(len(rows), -1, decoder.block_bytes))


def as_float32(type_name: str, raw: Bytes) -> Floats:
    """Return the numbers in `raw` of a type in `FLOAT_TYPES`."""
    if type_name == "BF16":
        return (raw.view("<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
    return raw.view("<f4" if type_name == "F32" else "<f2").astype(np.float32)


def _scale_in_front(raw: Bytes) -> Sizes:
    return Sizes(_halves(raw[..., :2]))


def _scale_and_minimum_in_front(raw: Bytes) -> Sizes:
    return Sizes(_halves(raw[..., :2]), _halves(raw[..., 2:4]))


def _steps_and_floors(raw: Bytes) -> Sizes:
    """Read the head of a super-block: two float16, then twelve bytes of 6-bit parts."""
    scale, least, sizes = raw[..., :2], raw[..., 2:4], raw[..., 4:16]
    first, second, third = sizes[..., :4], sizes[..., 4:8], sizes[..., 8:]
    steps = np.concatenate([first & 63, third & 15 | first >> 2 & 48], -1)
    floors = np.concatenate([second & 63, third >> 4 | second >> 2 & 48], -1)
    scales = _halves(scale)[..., None] * steps
    minimums = -_halves(least)[..., None] * floors
    return Sizes(scales.reshape(len(raw), -1), minimums.reshape(len(raw), -1))


def _steps_behind(raw: Bytes) -> Sizes:
    scales = _halves(raw[..., 208:])[..., None] * raw[..., 192:208].view(np.int8)
    return Sizes(scales.reshape(len(raw), -1))


def _five_bits(tops: Bytes, nibbles: Bytes) -> Bytes:
    """Return the numbers of blocks of 32, whose top bits lie together, around the zero point."""
    top = (np.ascontiguousarray(tops).view("<u4") >> _BIT_SHIFTS & 1).astype(np.uint8)
    low = np.concatenate([nibbles & 15, nibbles >> 4], -1)
    q: Bytes = (low | top << np.uint8(4)) + np.uint8(_LEAST_OF_FIVE_BITS)
    return q


def _q5_k(raw: Bytes) -> Bytes:
    blocks = raw.shape[:2]
    tops = raw[..., None, 16:48] >> _BYTE_SHIFTS[:, None] & np.uint8(1)
    nibbles = raw[..., 48:].reshape(*blocks, 4, 1, 32) >> _NIBBLE_SHIFTS[:, None] & np.uint8(15)
    low = nibbles.reshape(*blocks, 8, 32)
    q: Bytes = (low | tops << np.uint8(4)) + np.uint8(_LEAST_OF_FIVE_BITS)
    return q


def _q6_k(raw: Bytes) -> Bytes:
    rows = len(raw)
    low = raw[..., :128].reshape(rows, -1, 2, 1, 64) >> _NIBBLE_SHIFTS[:, None] & np.uint8(15)
    top = raw[..., 128:192].reshape(rows, -1, 2, 1, 32) >> _PAIR_SHIFTS[:, None] & np.uint8(3)
    q: Bytes = (low.reshape(rows, -1) | top.reshape(rows, -1) << np.uint8(4)) + np.uint8(128 - 32)
    return q


def _halves(raw: Bytes) -> Floats:
    """Return float16 bytes [rows, blocks, 2] as float32[rows, blocks]."""
    return np.ascontiguousarray(raw).view("<f2")[..., 0].astype(np.float32)


def _repack_nibbles(raw: Bytes) -> Bytes:
    """Turn runs of n bytes, low nibbles first half and high nibbles second, into pairs in order.

    Two neighbouring bytes give one byte of each half, so it works on pairs of bytes at once.
    """
    pairs = np.ascontiguousarray(raw).view("<u2")
    low = (pairs & 0x0F | pairs >> 4 & 0xF0).astype(np.uint8)
    high = (pairs >> 4 & 0x0F | pairs >> 8 & 0xF0).astype(np.uint8)
    return np.concatenate([low, high], -1)


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Both take uint8[rows, blocks, bytes of a block]."""

    block_bytes: int
    numbers: Callable[[Bytes], Bytes]
    sizes: Callable[[Bytes], Sizes]


_DECODERS = {
    "Q4_0": _Decoder(18, lambda raw: _repack_nibbles(raw[..., 2:]), _scale_in_front),
    "Q4_1": _Decoder(20, lambda raw: _repack_nibbles(raw[..., 4:]), _scale_and_minimum_in_front),
    "Q5_0": _Decoder(22, lambda raw: _five_bits(raw[..., 2:6], raw[..., 6:]), _scale_in_front),
    "Q5_1": _Decoder(
        24, lambda raw: _five_bits(raw[..., 4:8], raw[..., 8:]), _scale_and_minimum_in_front
    ),
    "Q8_0": _Decoder(34, lambda raw: raw[..., 2:] ^ np.uint8(128), _scale_in_front),
    "Q4_K": _Decoder(
        144,
        lambda raw: _repack_nibbles(raw[..., 16:].reshape(*raw.shape[:2], 4, 32)),
        _steps_and_floors,
    ),
    "Q5_K": _Decoder(176, _q5_k, _steps_and_floors),
    "Q6_K": _Decoder(210, _q6_k, _steps_behind),
}
