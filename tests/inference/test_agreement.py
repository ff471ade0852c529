"""Whether a device computes the same as the processor."""

import numpy as np
import pytest

from inference import agreement
from inference.agreement import MOST_KL, Place
from inference.engine.protocol import Logits
from inference.trial_child import place

VOCABULARY = 500


def scores(seed: int = 0) -> Logits:
    return np.random.default_rng(seed).normal(0, 3, VOCABULARY).astype(np.float32)


def seen(logits: Logits, expected: Place) -> tuple[Place, ...]:
    return (place(logits, expected.ids),)


def test_the_same_scores_agree_wholly() -> None:
    expected = place(scores())

    comparison = agreement.compare((expected,), seen(scores() + 7, expected))

    assert comparison.kl == pytest.approx(0, abs=1e-6)
    assert comparison.is_right


def test_rounding_is_forgiven() -> None:
    expected = place(scores())
    noise = np.random.default_rng(1).normal(0, 0.02, VOCABULARY).astype(np.float32)

    assert agreement.compare((expected,), seen(scores() + noise, expected)).is_right


def test_other_scores_are_wrong() -> None:
    expected = place(scores())

    comparison = agreement.compare((expected,), seen(scores(seed=1), expected))

    assert comparison.kl > MOST_KL
    assert not comparison.is_right


def test_another_first_token_is_wrong_where_the_processor_was_sure() -> None:
    first = scores()
    first[7] = first.max() + 1
    second = first.copy()
    second[7] -= 1.01
    # One place of a thousand drowns in the mean.
    expected = (place(first),) * 1000
    alike = seen(first, expected[0]) * 999

    comparison = agreement.compare(expected, (*alike, *seen(second, expected[0])))

    assert comparison.kl < MOST_KL
    assert not comparison.is_same_text
    assert not comparison.is_right


def test_a_tie_may_be_broken_either_way() -> None:
    first = scores()
    first[7], first[8] = first.max() + 1, first.max() + 0.99
    second = first.copy()
    second[8] += 0.02
    expected = place(first)

    assert agreement.compare((expected,), seen(second, expected)).is_right


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_numbers_that_are_none_are_wrong(bad: float) -> None:
    expected = place(scores())
    broken = scores()
    broken[3] = bad

    assert not agreement.compare((expected,), seen(broken, expected)).is_right
