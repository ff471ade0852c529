"""The decoder that the llama kind of model has in common, as a graph.

A family is a subclass in a module of its own, listed in `registry`: it overrides the step in which
it differs and leaves the rest. What one step reads and returns is in its docstring; names of values
are passed from step to step, so an override may add nodes wherever it likes.
"""

from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inference.gguf.embedding import Embedding
from inference.gguf.families.dimensions import Dimensions
from inference.gguf.graph import MICROSOFT, ElementType
from inference.gguf.products import Matrix, Products

SCORED_TOKENS = 8
"""Scores are computed for this many last positions of a call: enough to verify drafts, and a prompt
does not pay for a head of 150,000 rows at every position."""


Dimensioned: TypeAlias = list[int | str]


class Decoder:
    """Builds one model's graph.

    Class attributes:
        runtime_type: What `genai_config.json` calls the family.
        pairs_rotary_rows: The file stores rows of q and k so that rope turns neighbours; the
            runtime turns halves.
    """

    runtime_type: ClassVar[str]
    pairs_rotary_rows: ClassVar[bool] = False

    def __init__(self, products: Products, *, dimensions: Dimensions, context_tokens: int) -> None:
        self.graph = products.graph
        self.weights = products.weights
        self.packer = products.packer
        self.products = products
        self.dimensions = dimensions
        self.context_tokens = context_tokens
        self.embedding = Embedding(products, hidden=dimensions.hidden)

    def build(self) -> None:
        """Add everything to the graph, taking every tensor that it uses."""
        self.ports()
        self.lengths()
        self.rotary_caches()
        residual = self.embed()
        normed = self.norm(residual, "blk.0.attn_norm", out="norm.0")
        for layer in range(self.dimensions.layers):
            normed, residual = self.layer(layer, normed, residual)
        self.head(normed)

    def layer(self, layer: int, normed: str, residual: str) -> tuple[str, str]:
        """Add a layer; take and return (normalised, residual)."""
        last = layer == self.dimensions.layers - 1
        next_norm = "output_norm" if last else f"blk.{layer + 1}.attn_norm"
        attended = self.attention(layer, normed)
        normed, residual = self.add_norm(
            residual, attended, f"blk.{layer}.ffn_norm", out=f"layer.{layer}.middle"
        )
        fed = self.feed_forward(layer, normed)
        return self.add_norm(residual, fed, next_norm, out=f"layer.{layer}.end")

    def ports(self) -> None:
        """Declare what the runtime gives and takes: ids, mask, scores, and the KV cache."""
        graph, sizes = self.graph, self.dimensions
        graph.input("input_ids", ElementType.INT64, ["batch", "length"])
        graph.input("attention_mask", ElementType.INT64, ["batch", "total"])
        scores: Dimensioned = ["batch", "length", self.embedding.vocabulary]
        graph.output("logits", ElementType.FLOAT32, scores)
        for layer in range(sizes.layers):
            for part in ("key", "value"):
                past: Dimensioned = ["batch", sizes.kv_heads, "past", sizes.head_size]
                present: Dimensioned = ["batch", sizes.kv_heads, "total", sizes.head_size]
                name = f"{layer}.{part}"
                graph.input(f"past_key_values.{name}", ElementType.FLOAT32, past)
                graph.output(f"present.{name}", ElementType.FLOAT32, present)

    def lengths(self) -> None:
        """Add `last_positions` (int32[batch]) and `total_length` (int32), which attention reads."""
        graph = self.graph
        one = graph.constant("one", np.array([1]))
        graph.node("ReduceSum", ["attention_mask", one], ["lengths"], keepdims=0)
        graph.node("Sub", ["lengths", one], ["positions"])
        graph.node("Cast", ["positions"], ["last_positions"], to=ElementType.INT32)
        graph.node("Shape", ["attention_mask"], ["mask_width"], start=1, end=2)
        graph.node("Squeeze", ["mask_width"], ["mask_length"])
        graph.node("Cast", ["mask_length"], ["total_length"], to=ElementType.INT32)

    def rotary_caches(self) -> None:
        """Add `cosines` and `sines`, float32[context_tokens, rotary_size / 2]."""
        angles = np.outer(np.arange(self.context_tokens), self.frequencies())
        for name, values in (("cosines", np.cos(angles)), ("sines", np.sin(angles))):
            extent = self.packer.array(values.astype(np.float32))
            self.graph.weight(name, ElementType.FLOAT32, angles.shape, extent)

    def frequencies(self) -> NDArray[np.float64]:
        """Return the angle that each pair of numbers turns by from one position to the next."""
        sizes = self.dimensions
        exponents = np.arange(0, sizes.rotary_size, 2) / sizes.rotary_size
        return sizes.rope_base**-exponents / sizes.rope_divisor

    def embed(self) -> str:
        """Return float32[batch, length, hidden]."""
        return self.embedding.lookup("input_ids")

    def attention(self, layer: int, x: str) -> str:
        """Return what attention adds to the residual."""
        sizes = self.dimensions
        label = f"layer.{layer}.attention"
        qkv = self.queries_keys_values(layer, x)
        out = self.graph.node(
            "GroupQueryAttention",
            [
                *qkv,
                f"past_key_values.{layer}.key",
                f"past_key_values.{layer}.value",
                "last_positions",
                "total_length",
                "cosines",
                "sines",
            ],
            [f"{label}.out", f"present.{layer}.key", f"present.{layer}.value"],
            domain=MICROSOFT,
            num_heads=sizes.heads,
            kv_num_heads=sizes.kv_heads,
            scale=sizes.head_size**-0.5,
            do_rotary=1,
            rotary_interleaved=0,
            local_window_size=self.window(layer),
        )
        output = Matrix(f"blk.{layer}.attn_output", sizes.hidden)
        columns = sizes.heads * sizes.head_size
        return self.products.linear(out, columns, [output], label=f"{label}.output")

    def queries_keys_values(self, layer: int, x: str) -> tuple[str, str, str]:
        """Return attention's first three inputs: packed (all, "", "") or one by one."""
        sizes = self.dimensions
        prefix = f"blk.{layer}.attn"
        matrices = [
            Matrix(f"{prefix}_q", sizes.heads * sizes.head_size, self.row_order(sizes.heads)),
            Matrix(f"{prefix}_k", sizes.kv_heads * sizes.head_size, self.row_order(sizes.kv_heads)),
            Matrix(f"{prefix}_v", sizes.kv_heads * sizes.head_size),
        ]
        label = f"layer.{layer}.qkv"
        return self.products.linear(x, sizes.hidden, matrices, label=label), "", ""

    def row_order(self, heads: int) -> NDArray[np.intp] | None:
        """Return the rows of q or k in the order that the runtime's rope expects."""
        if not self.pairs_rotary_rows:
            return None
        size = self.dimensions.head_size
        rows = np.arange(heads * size).reshape(heads, size // 2, 2)
        return rows.swapaxes(1, 2).reshape(-1)

    def window(self, layer: int) -> int:  # noqa: ARG002 - in some families every n-th layer sees all
        """Return how many keys a token of this layer sees, -1 for all."""
        window = self.dimensions.window_tokens
        return window if 0 < window < self.context_tokens else -1

    def feed_forward(self, layer: int, x: str) -> str:
        """Return what the feed-forward part adds to the residual."""
        sizes, graph = self.dimensions, self.graph
        label = f"layer.{layer}.feed"
        width = sizes.feed_forward
        matrices = [Matrix(f"blk.{layer}.ffn_{part}", width) for part in ("gate", "up")]
        both = self.products.linear(x, sizes.hidden, matrices, label=f"{label}.in")
        halves = graph.constant("split.feed", np.array([width, width]))
        graph.node("Split", [both, halves], [f"{label}.gate", f"{label}.up"], axis=-1)
        active = self.activate(f"{label}.gate")
        gated = graph.node("Mul", [active, f"{label}.up"], [f"{label}.gated"])
        down = Matrix(f"blk.{layer}.ffn_down", sizes.hidden)
        return self.products.linear(gated, width, [down], label=f"{label}.down")

    def activate(self, x: str) -> str:
        """Return the activation of x: SiLU, which is QuickGelu with alpha 1."""
        return self.graph.node("QuickGelu", [x], [f"{x}.active"], domain=MICROSOFT, alpha=1.0)

    def norm(self, x: str, name: str, *, out: str) -> str:
        """Return x normalised by its root mean square and scaled."""
        return self.graph.node(
            "SimplifiedLayerNormalization",
            [x, self.norm_weight(name)],
            [out],
            axis=-1,
            epsilon=self.dimensions.epsilon,
            stash_type=1,
        )

    def add_norm(self, residual: str, x: str, name: str, *, out: str) -> tuple[str, str]:
        """Return (the sum normalised and scaled, the sum)."""
        self.graph.node(
            "SkipSimplifiedLayerNormalization",
            [residual, x, self.norm_weight(name)],
            [out, "", "", f"{out}.sum"],
            domain=MICROSOFT,
            epsilon=self.dimensions.epsilon,
        )
        return out, f"{out}.sum"

    def norm_weight(self, name: str) -> str:
        """Return the name of a norm's scales."""
        vector = self.weights.vector(f"{name}.weight", self.dimensions.hidden)
        extent = self.packer.array(vector)
        return self.graph.weight(name, ElementType.FLOAT32, vector.shape, extent)

    def head(self, x: str) -> None:
        """Add `logits`: real for the last positions, zeros in front of them.

        The runtime allocates scores for every position of a call and takes no smaller tensor.
        """
        graph = self.graph
        first = graph.constant("tail.start", np.array([-SCORED_TOKENS]))
        end = graph.constant("tail.end", np.array([np.iinfo(np.int64).max]))
        one = graph.constant("one", np.array([1]))
        graph.node("Slice", [x, first, end, one], ["tail"])
        scores = self.scores("tail")
        graph.node("Shape", ["input_ids"], ["call.length"], start=1, end=2)
        graph.node("Shape", ["tail"], ["tail.length"], start=1, end=2)
        graph.node("Sub", ["call.length", "tail.length"], ["skipped"])
        none = graph.constant("none", np.array([0]))
        rest = graph.constant("none.rest", np.zeros(4, np.int64))
        graph.node("Concat", [none, "skipped", rest], ["padding"], axis=0)
        graph.node("Pad", [scores, "padding"], ["logits"])

    def scores(self, x: str) -> str:
        """Return float32[batch, length, vocabulary]."""
        return self.embedding.scores(x, out="scores")
