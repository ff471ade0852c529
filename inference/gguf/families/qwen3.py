"""qwen3: Qwen 3, whose queries and keys are normalised head by head."""

from inference.gguf.families.decoder import Decoder
from inference.gguf.families.head_norms import normed_heads


class Qwen3(Decoder):
    """The common decoder with norms of heads."""

    runtime_type = "qwen3"

    def queries_keys_values(self, layer: int, x: str) -> tuple[str, str, str]:
        """Return queries and keys normalised, and values."""
        packed, _, _ = super().queries_keys_values(layer, x)
        return normed_heads(self, layer, packed)
