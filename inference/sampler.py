"""Draws the next token from logits.

Ours and not the runtime's, so that a request's settings and seed are its own although its
conversation keeps one cache, and so that every runtime draws alike.

The order is that of the transformers library, which the models' own settings are written for:
repetition penalty, temperature, top-k, top-p, min-p. The penalty is CTRL's (arXiv 1909.05858); it
looks at the whole answer, and of the prompt at as much as llama.cpp does by default, since an
answer about a document must be free to use its words.
"""

import secrets
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from inference.engine.protocol import Logits
from inference.errors import ModelDamaged
from inference.types import Sampling

Allowed = NDArray[np.bool_]

_SEED_BITS = 63
# Below this nothing but the likeliest has a chance that a float32 can hold.
_GREEDY_TEMPERATURE = 1e-4
_BLOCK = 64
_SORTABLE = 2048
_PENALIZED_PROMPT_TOKENS = 64


class Sampler:
    """The random numbers and rules of one answer.

    Args:
        sampling: Temperature, cut-offs, penalty and seed.
        vocab_size: Logits from here on are padding of the model's head.
        forbidden_ids: Never drawn; for benchmarks, which must not end early.
        prompt: What stands before the answer.
    """

    def __init__(
        self,
        sampling: Sampling,
        *,
        vocab_size: int,
        forbidden_ids: frozenset[int] = frozenset(),
        prompt: Sequence[int] = (),
    ) -> None:
        self._sampling = sampling
        self._vocab_size = vocab_size
        self._forbidden = sorted(forbidden_ids)
        self._penalized: _Ids | None = None
        if sampling.repetition_penalty != 1:
            self._penalized = _Ids(vocab_size, prompt[-_PENALIZED_PROMPT_TOKENS:])
        seed = secrets.randbits(_SEED_BITS) if sampling.seed is None else abs(sampling.seed)
        self._random = np.random.default_rng(seed)

    def draw(self, logits: Logits, allowed: Allowed | None = None) -> int:
        """Return the next token, which counts as drawn.

        Args:
            logits: float32[vocabulary].
            allowed: bool[vocabulary]: only these may be drawn; at least one of them.

        Raises:
            ModelDamaged: The logits are no numbers.
        """
        logits = self._ruled(logits[: self._vocab_size])
        ids = None if allowed is None else np.flatnonzero(allowed[: len(logits)])
        logits = logits if ids is None else logits[ids]
        token = int(logits.argmax())
        if not np.isfinite(logits[token]):
            raise ModelDamaged(file="model.onnx", reason="it computes no numbers")
        if self._sampling.temperature > _GREEDY_TEMPERATURE and self._sampling.top_k != 1:
            token = self._draw(logits, best=token)
        token = token if ids is None else int(ids[token])
        if self._penalized is not None:
            self._penalized.add(token)
        return token

    def _ruled(self, logits: Logits) -> Logits:
        if self._forbidden or self._penalized is not None:
            logits = logits.copy()
        if self._penalized is not None:
            ids = self._penalized.ids
            values, penalty = logits[ids], np.float32(self._sampling.repetition_penalty)
            logits[ids] = np.where(values > 0, values / penalty, values * penalty)
        if self._forbidden:
            logits[self._forbidden] = -np.inf
        return logits

    def _draw(self, logits: Logits, *, best: int) -> int:
        sampling = self._sampling
        if 0 < sampling.top_k < len(logits):
            ids = _likeliest(logits, sampling.top_k)
            chances = np.exp((logits[ids].astype(np.float64) - logits[best]) / sampling.temperature)
        else:
            weights = np.exp((logits - logits[best]) * np.float32(1 / sampling.temperature))
            total = float(weights.sum())
            # Whatever is less likely adds up to less than top_p leaves out.
            least = max(total * (1 - sampling.top_p) / len(weights), sampling.min_p)
            if least == 0:
                return self._pick_among_all(weights)
            ids = np.flatnonzero(weights >= np.float32(least))
            if len(ids) > _SORTABLE:
                return self._pick_by_trial(weights[ids], ids, total=total)
            chances = weights[ids].astype(np.float64)
            return self._pick(*self._cut(ids, chances, total=total))
        return self._pick(*self._cut(ids, chances, total=float(chances.sum())))

    def _cut(
        self, ids: NDArray[np.intp], chances: NDArray[np.float64], *, total: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return what top-p and min-p leave, likeliest first; the likeliest chance is 1."""
        sampling = self._sampling
        worth_sorting = chances >= max(total * (1 - sampling.top_p) / len(chances), sampling.min_p)
        ids, chances = ids[worth_sorting], chances[worth_sorting]
        order = np.lexsort((ids, -chances))
        ids, chances = ids[order], chances[order]
        kept = int(np.searchsorted(chances.cumsum(), sampling.top_p * total)) + 1
        return ids[:kept], chances[:kept]

    def _pick(self, ids: NDArray[np.intp], chances: NDArray[np.float64]) -> int:
        sums = chances.cumsum()
        index = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        return int(ids[min(index, len(ids) - 1)])

    def _pick_by_trial(self, weights: Logits, ids: NDArray[np.intp], *, total: float) -> int:
        """Draw until it is one that top-p leaves, which costs less than to sort thousands."""
        while True:
            index = self._pick_among_all(weights)
            weight = weights[index]
            likelier = weights[weights > weight].sum(dtype=np.float64)
            likelier += weight * np.count_nonzero(weights[:index] == weight)
            if likelier <= self._sampling.top_p * total or weight == weights.max():
                return int(ids[index])

    def _pick_among_all(self, weights: Logits) -> int:
        """Draw among everything: a block first, then within it, which is a sum and no sort."""
        whole = len(weights) // _BLOCK * _BLOCK
        blocks = weights[:whole].reshape(-1, _BLOCK).sum(axis=1, dtype=np.float64)
        sums = np.append(blocks, weights[whole:].sum(dtype=np.float64)).cumsum()
        point = self._random.random() * sums[-1]
        block = min(int(np.searchsorted(sums, point, side="right")), len(sums) - 1)
        begin = block * _BLOCK
        within = weights[begin : begin + _BLOCK].astype(np.float64)
        ids = begin + np.flatnonzero(within)
        inner = within[within > 0].cumsum()
        point -= sums[block - 1] if block else 0.0
        return int(ids[min(int(np.searchsorted(inner, point, side="right")), len(ids) - 1)])


class _Ids:
    """A growing set of ids as an array, so that a draw does not make one anew."""

    def __init__(self, vocab_size: int, ids: Iterable[int]) -> None:
        self._has = np.zeros(vocab_size, np.bool_)
        self._ids = np.zeros(vocab_size, np.intp)
        self._count = 0
        for token_id in ids:
            self.add(token_id)

    @property
    def ids(self) -> NDArray[np.intp]:
        return self._ids[: self._count]

    def add(self, token_id: int) -> None:
        if token_id < len(self._has) and not self._has[token_id]:
            self._has[token_id] = True
            self._ids[self._count] = token_id
            self._count += 1


def _likeliest(logits: Logits, top_k: int) -> NDArray[np.intp]:
    """Return the `top_k` likeliest ids, in no order."""
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
