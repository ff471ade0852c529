import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inference.gguf.blocks import LAYOUTS, Layout
from inference.gguf.minimums import COLUMN_BLOCK, NarrowRest, narrow_rest

Floats = NDArray[np.float32]

FOUR, FIVE = LAYOUTS["Q4_K"], LAYOUTS["Q5_K"]


def unpacked(pairs: NDArray[np.uint8], bits: int) -> Floats:
    if bits == 8:
        return pairs.astype(np.float32)
    return np.stack([pairs & 15, pairs >> 4], -1).reshape(len(pairs), -1).astype(np.float32)


def offsets_of(rest: NarrowRest, scales: Floats, layout: Layout = FOUR) -> Floats:
    """Return what a weight of each block is when its stored number is the least."""
    rows, blocks = scales.shape
    zeros = unpacked(rest.zeros, layout.bits)
    assert (zeros[:, blocks : blocks + rest.scales.shape[1]] == layout.zero).all()
    columns = unpacked(rest.columns, layout.bits) - layout.zero
    left = columns.reshape(rows, -1, COLUMN_BLOCK) * rest.scales[..., None]
    assert not left.reshape(rows, -1)[:, blocks:].any()
    return left.reshape(rows, -1)[:, :blocks] - scales * (zeros[:, :blocks] - layout.least)


@given(
    seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 9), blocks=st.integers(1, 3 * COLUMN_BLOCK)
)
@pytest.mark.parametrize(("layout", "steps", "share"), [(FOUR, 15, 1 / 16), (FIVE, 31, 1 / 256)])
def test_a_narrow_rest_keeps_minimums_to_a_small_share_of_a_step(
    *, layout: Layout, steps: int, share: float, seed: int, rows: int, blocks: int
) -> None:
    random = np.random.default_rng(seed)
    scales = random.uniform(0.5, 1.5, (rows, blocks)).astype(np.float32)
    minimums = -scales * random.uniform(0, steps, (rows, blocks)).astype(np.float32)

    rest = narrow_rest(scales, minimums, layout)

    assert rest is not None
    lost = np.abs(offsets_of(rest, scales, layout) - minimums)
    assert lost.max() <= 1.01 * share * scales.max()


@pytest.mark.parametrize("steps", [-200.0, 200.0])
def test_minimums_far_from_every_zero_point_are_left_to_the_exact_form(steps: float) -> None:
    scales = np.ones((4, 64), np.float32)
    minimums = np.linspace(0, steps, 4 * 64, dtype=np.float32).reshape(4, 64)

    assert narrow_rest(scales, minimums, FOUR) is None


def test_blocks_of_equal_weights_have_scale_zero_and_keep_their_value() -> None:
    scales = np.ones((1, 2), np.float32)
    scales[0, 1] = 0
    minimums = np.array([[-8.0, 0.25]], np.float32)

    rest = narrow_rest(scales, minimums, FOUR)

    assert rest is not None
    assert offsets_of(rest, scales)[0, 1] == pytest.approx(0.25)


def test_minimums_at_whole_zero_points_leave_nothing() -> None:
    scales = np.full((2, 40), 0.5, np.float32)
    minimums = np.float32(-0.5) * (np.arange(80, dtype=np.float32).reshape(2, 40) % 16)

    rest = narrow_rest(scales, minimums, FOUR)

    assert rest is not None
    assert not rest.scales.any()
    assert (offsets_of(rest, scales) == minimums).all()
