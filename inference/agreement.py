"""Whether a device computes the same as the processor.

A driver that computes wrongly raises nothing: its answers are only bad. So a fixed text is read on
both, with the processor's likeliest tokens behind it, and the next-token distributions at each of
these places are compared.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from inference.engine.protocol import Logits

MOST_KL = 0.01

_KEPT_IDS = 64
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


def place(logits: Logits, ids: tuple[int, ...] = ()) -> Place:
    """Return the distribution of float32[vocabulary], at `ids` or at its own likeliest."""
    scores = logits.astype(np.float64)
    log_probs = scores - _log_sum(scores)
    likeliest = int(np.argmax(scores))
    if not ids:
        kept = min(_KEPT_IDS, scores.size)
        ids = tuple(int(each) for each in np.argsort(-scores)[:kept])
    return Place(likeliest, ids, tuple(float(log_probs[each]) for each in ids))


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
    p, q = _with_rest(left), _with_rest(right)
    return float(np.sum(p * (np.log(p) - np.log(q))))


def _with_rest(log_probs: Scores) -> NDArray[np.float64]:
    probs = np.exp(np.asarray(log_probs, np.float64))
    rest = max(1.0 - float(probs.sum()), 0.0)
    whole: NDArray[np.float64] = np.append(probs, rest)
    return np.maximum(whole, _LEAST_PROBABILITY)


def _log_sum(scores: NDArray[np.float64]) -> float:
    top = float(scores.max())
    return top + math.log(float(np.exp(scores - top).sum()))
