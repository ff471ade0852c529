"""Draws the next token from logits.

Ours and not the runtime's, so that a request's settings and seed are its own although its
conversation keeps one cache, and so that every runtime draws alike.
"""

import secrets

import numpy as np
from numpy.typing import NDArray

from inference.engine.protocol import Logits
from inference.errors import ModelDamaged
from inference.types import Sampling

_SEED_BITS = 63
_BLOCK = 64


class Sampler:
    """The random numbers and rules of one answer.

    Args:
        sampling: Temperature, cut-offs and seed.
        vocab_size: Logits from here on are padding of the model's head.
        forbidden_ids: Never drawn; for benchmarks, which must not end early.
    """

    def __init__(
        self, sampling: Sampling, *, vocab_size: int, forbidden_ids: frozenset[int] = frozenset()
    ) -> None:
        self._sampling = sampling
        self._vocab_size = vocab_size
        self._forbidden = sorted(forbidden_ids)
        seed = secrets.randbits(_SEED_BITS) if sampling.seed is None else abs(sampling.seed)
        self._random = np.random.default_rng(seed)

    def draw(self, logits: Logits) -> int:
        """Return the next token for float32[vocabulary].

        Raises:
            ModelDamaged: The logits are no numbers.
        """
        logits = logits[: self._vocab_size]
        if self._forbidden:
            logits = logits.copy()
            logits[self._forbidden] = -np.inf
        best = int(logits.argmax())
        if not np.isfinite(logits[best]):
            raise ModelDamaged(file="model.onnx", reason="it computes no numbers")
        if self._sampling.temperature == 0 or self._sampling.top_k == 1:
            return best
        ids, chances = self._candidates(logits)
        point = self._random.random() * chances.sum()
        index = int(np.searchsorted(chances.cumsum(), point, side="right"))
        return int(ids[min(index, len(ids) - 1)])

    def _candidates(self, logits: Logits) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the ids that may be drawn, likeliest first, and how likely they are."""
        ids = self._likeliest(logits)
        scaled = logits[ids].astype(np.float64) / self._sampling.temperature
        chances = np.exp(scaled - scaled.max())
        chances /= chances.sum()
        # What is less likely than this adds up to less than what top_p leaves out.
        worth_sorting = chances >= (1 - self._sampling.top_p) / len(chances)
        ids, chances = ids[worth_sorting], chances[worth_sorting]
        order = np.lexsort((ids, -chances))
        ids, chances = ids[order], chances[order]
        kept = int(np.searchsorted(chances.cumsum(), self._sampling.top_p)) + 1
        return ids[:kept], chances[:kept]

    def _likeliest(self, logits: Logits) -> NDArray[np.intp]:
        top_k = self._sampling.top_k
        if not 0 < top_k < len(logits):
            return np.arange(len(logits))
        ids = np.flatnonzero(logits >= _lower_bound(logits, top_k))
        return ids[np.argpartition(logits[ids], -top_k)[-top_k:]]


def _lower_bound(logits: Logits, top_k: int) -> np.float32:
    """Return a number that at least `top_k` logits reach, and few others.

    The largest of each block are few; where `top_k` blocks reach it, so do `top_k` logits.
    Selecting among all logits directly takes milliseconds a token.
    """
    blocks = logits[: len(logits) // _BLOCK * _BLOCK].reshape(-1, _BLOCK).max(axis=1)
    if len(blocks) < top_k:
        return np.float32(-np.inf)
    return np.float32(np.partition(blocks, -top_k)[-top_k])
