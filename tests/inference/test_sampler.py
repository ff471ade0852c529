"""The next token from logits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from inference.errors import ModelDamaged
from inference.sampler import Sampler, _likeliest
from inference.types import Sampling

logits = arrays.arrays(np.float32, 50, elements=st.floats(-20, 20, width=32))


def draw_many(values: np.ndarray, sampling: Sampling, times: int = 400) -> list[int]:
    sampler = Sampler(sampling, vocab_size=len(values))
    return [sampler.draw(values) for _ in range(times)]


@given(values=logits)
def test_temperature_zero_takes_the_likeliest(values: np.ndarray) -> None:
    assert draw_many(values, Sampling(temperature=0), 1) == [int(values.argmax())]


@pytest.mark.parametrize("temperature", [1e-300, 1e-9, 1e-4, 0.002])
@pytest.mark.parametrize("top_k", [0, 5])
def test_a_temperature_near_zero_is_as_good_as_zero(temperature: float, top_k: int) -> None:
    values = np.random.default_rng(3).normal(size=5000, scale=4).astype(np.float32)
    sampling = Sampling(temperature=temperature, top_k=top_k, top_p=1)

    assert set(draw_many(values, sampling, 5)) == {int(values.argmax())}


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
    # Chances are added up in single precision: at the very edge one token more may be let through.
    needed = int(np.searchsorted(chances.cumsum(), top_p + 1e-6)) + 1
    smallest = exact[min(needed, top_k) - 1]
    assert all(values[token] >= smallest for token in drawn)


@pytest.mark.parametrize("top_k", [1, 2, 40, 700])
def test_the_likeliest_of_a_large_vocabulary_are_found(top_k: int) -> None:
    values = np.random.default_rng(top_k).normal(size=50_001).astype(np.float32)

    assert set(_likeliest(values, top_k)) == set(np.argsort(values)[-top_k:])


def exact_chances(values: np.ndarray, sampling: Sampling) -> NDArray[np.float64]:
    """Return float64[vocabulary] by the definitions, in their order, the slow way."""
    order = np.argsort(-values, kind="stable")
    chances: NDArray[np.float64] = np.exp(
        (values - values.max()).astype(float) / sampling.temperature
    )
    if sampling.top_k:
        chances[order[sampling.top_k :]] = 0
    chances /= chances.sum()
    before = chances[order].cumsum() - chances[order]
    chances[order[before >= sampling.top_p]] = 0
    chances[chances < sampling.min_p * chances.max()] = 0
    chances /= chances.sum()
    return chances


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0.7, top_k=40, top_p=0.9, seed=1),
        Sampling(temperature=1, top_k=0, top_p=0.95, seed=2),
        Sampling(temperature=1, top_k=0, top_p=1, seed=3),
        Sampling(temperature=1, top_k=0, top_p=1, min_p=0.05, seed=4),
        Sampling(temperature=1.3, top_k=100, top_p=0.8, min_p=0.02, seed=5),
        Sampling(temperature=4, top_k=0, top_p=0.9, seed=6),  # thousands are left: by trial
        Sampling(temperature=4, top_k=0, top_p=0.2, min_p=0.1, seed=7),
    ],
    ids=str,
)
def test_draws_have_the_distribution_of_the_definitions(sampling: Sampling) -> None:
    values = np.random.default_rng(11).normal(size=8_003, scale=3).astype(np.float32)
    expected = exact_chances(values, sampling)
    drawn = draw_many(values, sampling, 2500)

    assert expected[drawn].min() > 0
    # Chi-square over twenty groups of like weight; 43.8 is passed once in a thousand times.
    order = np.argsort(-expected)
    groups = np.minimum((expected[order].cumsum() * 20).astype(int), 19)
    of_token = np.empty(len(values), int)
    of_token[order] = groups
    hoped = np.bincount(groups, expected[order], 20) * len(drawn)
    counted = np.bincount(of_token[drawn], minlength=20)
    used = hoped > 5
    assert ((counted - hoped)[used] ** 2 / hoped[used]).sum() < 43.8


@given(values=logits, min_p=st.floats(0.01, 0.99), top_k=st.sampled_from([0, 7]))
def test_min_p_keeps_what_is_likely_enough(values: np.ndarray, min_p: float, top_k: int) -> None:
    sampling = Sampling(temperature=0.8, top_p=1, top_k=top_k, min_p=min_p, seed=1)
    drawn = draw_many(values, sampling, 50)

    least = values.max() + 0.8 * np.log(min_p)
    assert all(values[token] >= least - 1e-4 for token in drawn)


def test_what_was_said_is_less_likely_to_be_said_again() -> None:
    values = np.array([4, 3, -1, -1.2], np.float32)
    sampling = Sampling(temperature=0, repetition_penalty=2)
    sampler = Sampler(sampling, vocab_size=4)

    # 4, then 4/2 < 3, then 3/2 < 4/2; what is below zero falls further.
    assert [sampler.draw(values) for _ in range(3)] == [0, 1, 0]
    assert values.tolist() == np.array([4, 3, -1, -1.2], np.float32).tolist()
    negative = Sampler(sampling, vocab_size=2, prompt=[0])
    assert negative.draw(values[2:]) == 1


def test_the_penalty_looks_back_into_the_prompt_but_not_far() -> None:
    values = np.array([4, 3], np.float32)
    sampling = Sampling(temperature=0, repetition_penalty=2)

    assert Sampler(sampling, vocab_size=2, prompt=[0]).draw(values) == 1
    assert Sampler(sampling, vocab_size=2, prompt=[0, *[1] * 64]).draw(values) == 0


def test_only_what_is_allowed_is_drawn() -> None:
    values = np.random.default_rng(1).normal(size=300).astype(np.float32)
    allowed = np.zeros(300, np.bool_)
    allowed[[3, 250]] = True
    for sampling in (Sampling(temperature=0), Sampling(temperature=9), Sampling(top_k=0, top_p=1)):
        sampler = Sampler(sampling, vocab_size=300)
        assert {sampler.draw(values, allowed) for _ in range(20)} <= {3, 250}


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
