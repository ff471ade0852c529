"""Whether a device computes the same as the processor.

A driver that computes wrongly raises nothing: its answers are only bad. So a fixed text is read on
both, with the processor's likeliest tokens behind it, and the next-token distributions at each of
these places are compared. Plain Python, for whoever compares must not wait for libraries.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

MOST_KL = 0.01

# Below this lead of the likeliest token, another order of the two is rounding and no mistake.
_CLEAR_LEAD = 0.1
_LEAST_PROBABILITY = 1e-12

Scores: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The next-token distribution at one place of the text.

    Attributes:
        likeliest: The id that a greedy answer takes.
        ids: The ids that `log_probs` are of: the processor's likeliest, best first.
        log_probs: Natural logarithms; all other ids together have what is left.
    """

    likeliest: int
    ids: tuple[int, ...]
    log_probs: Scores


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a device is from the processor.

    Attributes:
        kl: Kullback-Leibler divergence in nats, the mean over the places.
        is_same_text: Whether the same first tokens are likeliest, rounding left aside.
    """

    kl: float
    is_same_text: bool

    @property
    def is_right(self) -> bool:
        """Whether the device may be trusted."""
        return self.is_same_text and self.kl <= MOST_KL


def compare(expected: tuple[Place, ...], seen: tuple[Place, ...]) -> Comparison:
    """Return how far `seen`, whose places have the ids of `expected`, is from it.

    What is behind the likeliest ids counts as one: the divergence is a lower bound of the true one.
    """
    pairs = list(zip(expected, seen, strict=True))
    divergences = [_divergence(left.log_probs, right.log_probs) for left, right in pairs]
    mean = sum(divergences) / len(divergences)
    return Comparison(
        mean if math.isfinite(mean) else math.inf,
        all(left.likeliest == right.likeliest or not _is_clear(left) for left, right in pairs),
    )


def _is_clear(expected: Place) -> bool:
    best, second = expected.log_probs[:2]
    return best - second >= _CLEAR_LEAD


def _divergence(left: Scores, right: Scores) -> float:
    pairs = zip(_with_rest(left), _with_rest(right), strict=True)
    return sum(p * (math.log(p) - math.log(q)) for p, q in pairs)


def _with_rest(log_probs: Scores) -> list[float]:
    probs = [math.exp(each) for each in log_probs]
    # Not a number stays one: it would be lost in a comparison.
    return [
        each if each > _LEAST_PROBABILITY else each * 0 + _LEAST_PROBABILITY
        for each in (*probs, 1.0 - math.fsum(probs))
    ]
