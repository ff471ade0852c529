"""granite: IBM Granite 3 and 4, dense; Llama's decoder with four factors in the file."""

from inference.gguf.families.llama import Llama

_EMBEDDING, _RESIDUAL, _ATTENTION, _LOGITS = (
    *("embedding_scale", "residual_scale", "attention.scale", "logit_scale"),
)


class Granite(Llama):
    """Embedding, both branches and attention are multiplied, scores divided; 0 stands for none."""

    runtime_type = "granite"
    honors = frozenset({_EMBEDDING, _RESIDUAL, _ATTENTION, _LOGITS})

    def rotary_caches(self) -> None:
        """Add the caches, unless this model knows no positions."""
        if self._rotates():
            super().rotary_caches()

    def rotary(self, layer: int) -> tuple[str, str]:
        """Return the caches, or empty names where this model knows no positions."""
        return super().rotary(layer) if self._rotates() else ("", "")

    def embed(self) -> str:
        """Return the embedding times its factor."""
        return self.scaled(super().embed(), self._factor(_EMBEDDING), out="embedded.scaled")

    def attention_scale(self) -> float:
        """Return the file's scale."""
        return self.setting(_ATTENTION, 0.0) or super().attention_scale()

    def attention(self, layer: int, x: str) -> str:
        """Return attention's part times the factor of both branches."""
        return self._branch(super().attention(layer, x))

    def feed_forward(self, layer: int, x: str) -> str:
        """Return the feed-forward part times the factor of both branches."""
        return self._branch(super().feed_forward(layer, x))

    def scores(self, x: str) -> str:
        """Return scores divided by their divisor."""
        divided = 1 / self._factor(_LOGITS)
        return self.scaled(super().scores(x), divided, out="scores.divided")

    def _branch(self, x: str) -> str:
        return self.scaled(x, self._factor(_RESIDUAL), out=f"{x}.scaled")

    def _factor(self, key: str) -> float:
        return self.setting(key, 0.0) or 1.0

    def _rotates(self) -> bool:
        # So the converters of this family write that there is no rope at all.
        return self.metadata.flag(f"{self.architecture}.rope.scaling.finetuned", default=True)
