"""gemma3: Gemma 3, its text part; every sixth layer sees all, and rotates more slowly."""

from inference.gguf.families.gemma import Gemma
from inference.gguf.families.head_norms import normed_heads

_LOCAL = ".local"
_LOCAL_BASE = "rope.freq_base_swa"
_USUAL_LOCAL_BASE = 10_000.0


class Gemma3(Gemma):
    """Norms of heads, and two pairs of rotary caches: scaling holds where all is seen only."""

    runtime_type = "gemma3_text"
    rotary_bases = 2
    window_period = 6
    layers_of_largest = 62

    def rotary_caches(self) -> None:
        """Add the caches of both kinds of layer."""
        super().rotary_caches()
        base = self.setting(_LOCAL_BASE, _USUAL_LOCAL_BASE)
        if base <= 1:
            raise self.metadata.damaged(f"{self.architecture}.{_LOCAL_BASE} is absurd")
        self.rotary_cache(_LOCAL, self.turns(base))

    def rotary(self, layer: int) -> tuple[str, str]:
        """Return the caches of a layer's kind."""
        cosines, sines = super().rotary(layer)
        if self.is_local(layer):
            return f"{cosines}{_LOCAL}", f"{sines}{_LOCAL}"
        return cosines, sines

    def queries_keys_values(self, layer: int, x: str) -> tuple[str, str, str]:
        """Return queries and keys normalised, and values."""
        packed, _, _ = super().queries_keys_values(layer, x)
        return normed_heads(self, layer, packed)
