"""What Gemma 2 and 3 have in common.

The files' norms hold the 1 that the published models add to them.
"""

import math
from typing import ClassVar

import numpy as np

from inference.gguf.families.decoder import Decoder
from inference.gguf.graph import MICROSOFT

_ATTENTION_CAP, _FINAL_CAP = "attn_logit_softcapping", "final_logit_softcapping"


class Gemma(Decoder):
    """A large embedding, GELU, norms behind both branches, caps of scores, windows in most layers.

    Class attributes:
        layers_of_largest: How many layers the model has whose attention is scaled by hidden size
            and heads, as its configuration says and its file does not.
        usual_attention_cap, usual_final_cap: Where the file says nothing; 0 for none.
    """

    honors = frozenset({_ATTENTION_CAP, _FINAL_CAP})
    layers_of_largest: ClassVar[int]
    usual_attention_cap: ClassVar[float] = 0.0
    usual_final_cap: ClassVar[float] = 0.0

    def embed(self) -> str:
        """Return the embedding times the root of its width."""
        root = math.sqrt(self.dimensions.hidden)
        return self.scaled(super().embed(), root, out="embedded.scaled")

    def attention(self, layer: int, x: str) -> str:
        """Return attention's part, normalised."""
        out = super().attention(layer, x)
        return self.norm(out, f"blk.{layer}.post_attention_norm", out=f"{out}.normed")

    def attention_scale(self) -> float:
        """Return the scale of the head's size, in the largest model of another one."""
        sizes = self.dimensions
        if sizes.layers == self.layers_of_largest:
            return float((sizes.hidden / sizes.heads) ** -0.5)
        return super().attention_scale()

    def attention_cap(self) -> float:
        """Return the file's or the family's cap."""
        return self.setting(_ATTENTION_CAP, self.usual_attention_cap)

    def feed_forward(self, layer: int, x: str) -> str:
        """Return the feed-forward part, normalised."""
        out = super().feed_forward(layer, x)
        return self.norm(out, f"blk.{layer}.post_ffw_norm", out=f"{out}.normed")

    def activate(self, x: str) -> str:
        """Return GELU by its tanh form."""
        return self.graph.node("FastGelu", [x], [f"{x}.active"], domain=MICROSOFT)

    def scores(self, x: str) -> str:
        """Return scores that come near to a cap and never reach it."""
        scores = super().scores(x)
        cap = self.setting(_FINAL_CAP, self.usual_final_cap)
        if not cap:
            return scores
        factor = self.graph.constant("final.cap", np.array(cap, np.float32))
        shares = self.graph.node("Div", [scores, factor], ["scores.shares"])
        bent = self.graph.node("Tanh", [shares], ["scores.bent"])
        return self.graph.node("Mul", [bent, factor], ["scores.capped"])
