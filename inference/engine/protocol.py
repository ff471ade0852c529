"""What the host needs from a native runtime.

Small on purpose: the runtime multiplies matrices and keeps a KV cache, and everything that decides
(which token is drawn, what is kept, when to stop) is ours and therefore the same on every runtime.
A sequence only ever grows by `append`, so its cache holds exactly the ids that were appended: the
runtimes' own generation loop leaves its last token out of the cache, and appending after it breaks
the context without any error.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]


class Cache(Protocol):
    """One sequence of ids and its KV cache."""

    @property
    def capacity_tokens(self) -> int:
        """How many ids fit; the memory for all of them is taken at once."""
        ...

    def append(self, ids: Sequence[int]) -> bool:
        """Compute `ids`, at least one, behind what is there.

        Returns:
            False where `Engine.interrupt` ended it early; then nothing was added, and logits are
            there again after the next `append`.

        Raises:
            InferenceError: They do not fit, or memory ran out.
        """
        ...

    def rewind(self, length: int) -> None:
        """Forget everything after the first `length` ids; something must be appended next."""
        ...

    def logits(self, positions: int = 1) -> Logits:
        """Return float32[positions, vocabulary] of the last ids of the last `append`."""
        ...


class Engine(Protocol):
    """A loaded model."""

    @property
    def verify_tokens(self) -> int:
        """How many positions of one `append` have logits: 1 where drafts are not possible."""
        ...

    def new_cache(self, capacity_tokens: int) -> Cache:
        """Return an empty sequence.

        Raises:
            OutOfMemory: The cache does not fit.
        """
        ...

    def interrupt(self) -> None:
        """End the `append` that runs in another thread at this moment, if one does.

        May be called from any thread; one that comes too late or too early does nothing.
        """
        ...

    def bare_run(self, prompt_tokens: int, new_tokens: int) -> tuple[float, float]:
        """Run the runtime's own greedy loop and return (prefill_s, decode_s).

        `prefill_s` ends with the first token; `decode_s` is the time of those after it.
        """
        ...
