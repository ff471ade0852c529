"""Chunks of a prefill, sized by time."""

from hypothesis import given
from hypothesis import strategies as st

from inference.pace import Pace


def test_chunks_grow_towards_their_time() -> None:
    pace = Pace(49_152)
    assert pace.next_tokens(5000) == 128
    pace.measured(128, 0.1)
    assert pace.next_tokens(5000) == 192
    pace.measured(192, 1.0)
    assert pace.next_tokens(5000) == 128
    pace.measured(128, 0.001)
    assert pace.next_tokens(5000) == 512


def test_a_large_vocabulary_keeps_the_buffer_of_logits_small() -> None:
    pace = Pace(151_936)
    pace.measured(128, 0.001)

    assert pace.next_tokens(5000) * 151_936 * 4 <= 128 << 20


@given(left=st.integers(48, 5000), seconds=st.lists(st.floats(0, 10), max_size=20))
def test_no_chunk_is_so_short_that_it_computes_other_logits(
    left: int, seconds: list[float]
) -> None:
    pace = Pace(49_152)
    times = iter(seconds)
    while left:
        count = pace.next_tokens(left)
        assert count >= 48
        assert count % 128 != 1
        pace.measured(count, next(times, 0.1))
        left -= count


@given(left=st.integers(1, 5000), seconds=st.lists(st.floats(0, 10), max_size=20))
def test_every_token_is_computed_once(left: int, seconds: list[float]) -> None:
    pace = Pace(49_152)
    times = iter(seconds)
    while left:
        count = pace.next_tokens(left)
        assert 0 < count <= min(left, 640)
        pace.measured(count, next(times, 0.1))
        left -= count
