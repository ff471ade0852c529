"""phi3: Phi 3, 3.5, 4 mini and 4.

Models for long contexts bring two sets of factors for their frequencies, one up to the length they
were first trained for and one beyond. Keys that are kept were rotated by the set of their time, so
a conversation cannot change over without being read again. The set is chosen once, by the context
the folder is made for, as llama.cpp and vLLM choose it: a folder whose context is at most the first
length has the short factors, any larger one the long ones, in short conversations too.

The window that some files name is not applied: what they say of it is known to be wrong, and
llama.cpp leaves it out for that reason.
"""

import math

import numpy as np
from numpy.typing import NDArray

from inference.gguf.families.decoder import Decoder
from inference.gguf.products import Matrix

_SHORT, _LONG = "rope_factors_short.weight", "rope_factors_long.weight"
_FIRST_LENGTH = "rope.scaling.original_context_length"
_GAIN = "rope.scaling.attn_factor"


class Phi3(Decoder):
    """Products that the files store together, and two sets of frequencies."""

    # Under its own name the runtime reads everything again when it comes to token 4,097.
    runtime_type = "llama"
    rope_scalings = frozenset({"none", "linear", "longrope"})

    def rotary_caches(self) -> None:
        """Add the caches, which in models for long contexts make keys and queries larger."""
        self.rotary_cache("", self.frequencies(), gain=self._gain() if self._is_long() else 1.0)

    def frequencies(self) -> NDArray[np.float64]:
        """Return the common frequencies, divided by the factors for this context."""
        frequencies = super().frequencies()
        if not self._is_long():
            return frequencies
        count = len(frequencies)
        short, long = (self.weights.vector(name, count) for name in (_SHORT, _LONG))
        return frequencies / (long if self.context_tokens > self._first_length() else short)

    def queries_keys_values(self, layer: int, x: str) -> tuple[str, str, str]:
        """Return the file's own packed product."""
        sizes = self.dimensions
        rows = (sizes.heads + 2 * sizes.kv_heads) * sizes.head_size
        packed = Matrix(f"blk.{layer}.attn_qkv", rows)
        return self.products.linear(x, sizes.hidden, [packed], label=f"layer.{layer}.qkv"), "", ""

    def gate_and_up(self, layer: int, width: int) -> list[Matrix]:
        """Return the file's own packed matrix, which has the gate first."""
        return [Matrix(f"blk.{layer}.ffn_up", 2 * width)]

    def window(self, layer: int) -> int:  # noqa: ARG002 - see the module's docstring
        """Return that a token sees all."""
        return -1

    def _is_long(self) -> bool:
        return _SHORT in self.weights or _LONG in self.weights

    def _first_length(self) -> float:
        length = self.setting(_FIRST_LENGTH, self.dimensions.trained_tokens)
        if length <= 1:
            raise self.metadata.damaged(f"{self.architecture}.{_FIRST_LENGTH} is absurd")
        return length

    def _gain(self) -> float:
        """Return the factor of LongRoPE (arXiv 2402.13753), which counts the trained length."""
        first = self._first_length()
        stretch = self.dimensions.trained_tokens / first
        usual = math.sqrt(1 + math.log(stretch) / math.log(first)) if stretch > 1 else 1.0
        return self.setting(_GAIN, 0.0) or usual
