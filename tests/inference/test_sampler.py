"""The next token from logits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inference.errors import ModelDamaged
from inference.sampler import Sampler
from inference.types import Sampling

logits = arrays.arrays(np.float32, 50, elements=st.floats(-20, 20, width=32))


def draw_many(values: np.ndarray, sampling: Sampling, times: int = 400) -> list[int]:
    sampler = Sampler(sampling, vocab_size=len(values))
    return [sampler.draw(values) for _ in range(times)]


@given(values=logits)
def test_temperature_zero_takes_the_likeliest(values: np.ndarray) -> None:
    assert draw_many(values, Sampling(temperature=0), 1) == [int(values.argmax())]


@given(values=logits, seed=st.integers(), top_k=st.integers(0, 60))
def test_a_seed_repeats_itself(values: np.ndarray, seed: int, top_k: int) -> None:
    sampling = Sampling(temperature=1, seed=seed, top_k=top_k)

    assert draw_many(values, sampling, 10) == draw_many(values, sampling, 10)


@given(values=logits, top_k=st.integers(1, 50), top_p=st.floats(0.01, 1))
def test_nothing_outside_the_cuts_is_drawn(values: np.ndarray, top_k: int, top_p: float) -> None:
    drawn = draw_many(values, Sampling(temperature=1, top_k=top_k, top_p=top_p, seed=1), 50)

    least = np.sort(values)[-top_k]
    assert all(values[token] >= least for token in drawn)
    exact = np.sort(values)[::-1][:top_k].astype(np.float64)
    chances = np.exp(exact - exact.max())
    chances /= chances.sum()
    needed = int(np.searchsorted(chances.cumsum(), top_p - 1e-9)) + 1
    smallest = exact[min(needed, top_k) - 1]
    assert all(values[token] >= smallest for token in drawn)


@pytest.mark.parametrize("top_k", [1, 2, 40, 700])
def test_the_likeliest_of_a_large_vocabulary_are_found(top_k: int) -> None:
    values = np.random.default_rng(top_k).normal(size=50_001).astype(np.float32)
    sampler = Sampler(Sampling(top_k=top_k), vocab_size=len(values))

    found = sampler._likeliest(values)

    assert set(found) == set(np.argsort(values)[-top_k:])


def test_tokens_come_as_often_as_they_are_likely() -> None:
    values = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    drawn = draw_many(values, Sampling(temperature=1, top_p=1, top_k=0, seed=3), 4000)

    shares = np.bincount(drawn) / len(drawn)
    assert np.abs(shares - [0.5, 0.3, 0.2]).max() < 0.03


def test_padding_of_the_head_and_forbidden_ids_are_never_drawn() -> None:
    values = np.array([1, 9, 2, 99], np.float32)
    sampler = Sampler(Sampling(temperature=0), vocab_size=3, forbidden_ids=frozenset({1}))

    assert sampler.draw(values) == 2
    assert values[1] == 9


def test_a_model_that_computes_no_numbers_is_damaged() -> None:
    with pytest.raises(ModelDamaged):
        draw_many(np.array([1, np.nan], np.float32), Sampling(), 1)
