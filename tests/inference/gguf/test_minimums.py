import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inference.gguf.minimums import REST_BLOCK, SmallRest, small_rest

Floats = NDArray[np.float32]


def offsets_of(rest: SmallRest, scales: Floats) -> Floats:
    """Return what a weight of each block is when its stored number is 0."""
    rows, blocks = scales.shape
    zeros = np.stack([rest.zeros & 15, rest.zeros >> 4], -1).reshape(rows, -1)[:, :blocks]
    left = (rest.values.astype(np.float32) - 128) * rest.scales[..., None]
    return left.reshape(rows, -1)[:, :blocks] - scales * zeros


@given(
    seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 9), blocks=st.integers(1, 3 * REST_BLOCK)
)
def test_a_small_rest_keeps_minimums_to_a_hundredth_of_a_step(
    seed: int, rows: int, blocks: int
) -> None:
    random = np.random.default_rng(seed)
    scales = random.uniform(0.5, 1.5, (rows, blocks)).astype(np.float32)
    minimums = -scales * random.uniform(0, 15, (rows, blocks)).astype(np.float32)

    rest = small_rest(scales, minimums)

    assert rest is not None
    assert np.abs(offsets_of(rest, scales) - minimums).max() <= 0.01 * scales.max()


@pytest.mark.parametrize("steps", [-200.0, 200.0])
def test_minimums_far_from_every_zero_point_are_left_to_the_exact_form(steps: float) -> None:
    scales = np.ones((4, 64), np.float32)
    minimums = np.linspace(0, steps, 4 * 64, dtype=np.float32).reshape(4, 64)

    assert small_rest(scales, minimums) is None


def test_blocks_of_equal_weights_have_scale_zero_and_keep_their_value() -> None:
    scales = np.ones((1, 2), np.float32)
    scales[0, 1] = 0
    minimums = np.array([[-8.0, 0.25]], np.float32)

    rest = small_rest(scales, minimums)

    assert rest is not None
    assert offsets_of(rest, scales)[0, 1] == pytest.approx(0.25)
