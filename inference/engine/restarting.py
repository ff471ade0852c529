"""Sequences on a device that lets a sequence be appended to only once, which DirectML is.

Its rewind goes back to nothing only. So ids are collected, and computed when their logits are
wanted: a single one as the token that the runtime is made to choose itself, several by computing
everything again from the first.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from inference.engine.capi import Generator
from inference.engine.protocol import Logits
from inference.errors import ContextOverflow


class RestartingCache:
    """A sequence that is computed late; see `inference.engine.protocol.Cache`.

    Args:
        eos_ids: Tokens after which the runtime would choose nothing more.
        failing: Turns what the runtime says into errors of ours.
    """

    def __init__(
        self,
        generator: Generator,
        capacity_tokens: int,
        *,
        eos_ids: frozenset[int],
        failing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._generator = generator
        self._eos_ids = eos_ids
        self._failing = failing
        self._ids: list[int] = []
        self._computed = 0
        self._logits: Logits | None = None
        self.capacity_tokens = capacity_tokens

    def append(self, ids: Sequence[int]) -> bool:
        """Take `ids`; they are computed by `logits`, which nothing can interrupt."""
        needed = len(self._ids) + len(ids)
        if needed > self.capacity_tokens:
            raise ContextOverflow(needed_tokens=needed, limit_tokens=self.capacity_tokens)
        self._ids.extend(ids)
        return True

    def rewind(self, length: int) -> None:
        """Forget what is after `length`; see the protocol."""
        del self._ids[length:]
        if length < self._computed:
            self._computed = 0
            self._logits = None

    def logits(self, positions: int = 1) -> Logits:
        """Return the last logits; `positions` is 1, as drafts are not possible."""
        if positions != 1 or not self._ids:
            raise RuntimeError("logits are asked for that nothing was appended for")
        if self._logits is None or self._computed < len(self._ids):
            with self._failing():
                self._logits = self._compute(self._logits)
            self._computed = len(self._ids)
        return self._logits

    def _compute(self, before: Logits | None) -> Logits:
        newest = self._ids[-1]
        if before is not None and self._computed == len(self._ids) - 1 and self._can_choose(newest):
            only = np.full(before.shape[-1], -np.inf, np.float32)
            only[newest] = 0
            self._generator.set_logits(only)
            self._generator.generate()
        else:
            self._generator.rewind(0)
            self._generator.append(np.asarray(self._ids, np.int32))
        return self._generator.last_logits()

    def _can_choose(self, token: int) -> bool:
        return token not in self._eos_ids
