import gguf
import numpy as np
import pytest
from gguf.quants import dequantize
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inference.gguf.blocks import LAYOUTS, block_numbers, block_sizes
from tests.tiny_gguf import random_blocks

ROWS, COLUMNS = 5, 512


def unpack(packed: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    if bits == 8:
        return packed
    return np.stack([packed & 15, packed >> 4], -1).reshape(len(packed), -1)


@pytest.mark.parametrize("kind", LAYOUTS)
@given(seed=st.integers(0, 2**32 - 1))
def test_repacked_blocks_hold_the_very_weights_of_the_file(kind: str, seed: int) -> None:
    raw = random_blocks(np.random.default_rng(seed), kind, ROWS, COLUMNS).reshape(ROWS, -1)
    expected = dequantize(raw, gguf.GGMLQuantizationType[kind])
    layout = LAYOUTS[kind]

    sizes = block_sizes(kind, raw)

    stored = (
        unpack(block_numbers(kind, raw), layout.bits)
        .reshape(ROWS, -1, layout.block)
        .astype(np.float32)
    )
    scales = sizes.scales[..., None]
    if sizes.minimums is None:
        weights = scales * (stored - layout.zero)
    else:
        weights = scales * (stored - layout.least) + sizes.minimums[..., None]
    assert layout.has_minimum == (sizes.minimums is not None)
    assert np.array_equal(weights.reshape(ROWS, COLUMNS), expected)
