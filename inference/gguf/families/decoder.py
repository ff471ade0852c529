"""The decoder that the llama kind of model has in common, as a graph.

A family is a subclass in a module of its own, listed in `registry`: it overrides the step in which
it differs and leaves the rest. What one step reads and returns is in its docstring; names of values
are passed from step to step, so an override may add nodes wherever it likes. Keys of the metadata
that only one family has are read by that family, with `setting`.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from inference.gguf.embedding import Embedding
from inference.gguf.families.dimensions import Dimensions
from inference.gguf.families.ports import add_lengths, declare_ports
from inference.gguf.families.windows import local_layers
from inference.gguf.graph import MICROSOFT, ElementType
from inference.gguf.products import Matrix, Products

SCORED_TOKENS = 8
"""Scores are computed for this many last positions of a call: enough to verify drafts, and a prompt
does not pay for a head of 150,000 rows at every position."""

_LARGEST_SETTING = 1e9


class Decoder:
    """Builds one model's graph.

    Class attributes:
        runtime_type: What `genai_config.json` calls the family.
        pairs_rotary_rows: The file stores rows of q and k so that rope turns neighbours; the
            runtime turns halves.
        honors: Keys that change what is computed and that this family does; a file with another
            one of the keys the registry knows is refused.
        rope_scalings: Kinds of rope scaling that it does.
        rotary_bases: How many pairs of rotary caches it writes.
        window_tokens: Of attention, where the file says nothing; 0 for none.
        window_period: One layer in so many has no window, the last of them, where the file says
            nothing; 0 where all have one.
    """

    runtime_type: ClassVar[str]
    pairs_rotary_rows: ClassVar[bool] = False
    honors: ClassVar[frozenset[str]] = frozenset()
    rope_scalings: ClassVar[frozenset[str]] = frozenset({"none", "linear"})
    rotary_bases: ClassVar[int] = 1
    window_tokens: ClassVar[int] = 0
    window_period: ClassVar[int] = 0

    def __init__(self, products: Products, *, dimensions: Dimensions, context_tokens: int) -> None:
        self.graph = products.graph
        self.weights = products.weights
        self.packer = products.packer
        self.products = products
        self.dimensions = dimensions
        self.context_tokens = context_tokens
        self.metadata = products.weights.file.metadata
        self.architecture = self.metadata.text("general.architecture")
        self.embedding = Embedding(products, hidden=dimensions.hidden)
        self._local = local_layers(
            self.metadata, self.architecture, dimensions.layers, period=self.window_period
        )

    def build(self) -> None:
        """Add everything to the graph, taking every tensor that it uses."""
        declare_ports(self.graph, self.dimensions, rows=self.embedding.vocabulary)
        add_lengths(self.graph)
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

    def rotary_caches(self) -> None:
        """Add the caches that `rotary` names."""
        self.rotary_cache("", self.frequencies())

    def rotary_cache(
        self, suffix: str, frequencies: NDArray[np.float64], *, gain: float = 1.0
    ) -> None:
        """Add `cosines` and `sines`, float32[context_tokens, rotary_size / 2], times `gain`."""
        angles = np.outer(np.arange(self.context_tokens), frequencies)
        if not np.isfinite(angles).all():
            raise self.metadata.damaged("its rotary frequencies are absurd")
        for name, values in (("cosines", np.cos(angles)), ("sines", np.sin(angles))):
            extent = self.packer.array((values * gain).astype(np.float32))
            self.graph.weight(f"{name}{suffix}", ElementType.FLOAT32, angles.shape, extent)

    def rotary(self, layer: int) -> tuple[str, str]:  # noqa: ARG002 - some families have two pairs
        """Return the caches that a layer rotates by; empty names where it does not rotate."""
        return "cosines", "sines"

    def frequencies(self) -> NDArray[np.float64]:
        """Return the angle that each pair of numbers turns by from one position to the next."""
        return self.turns(self.dimensions.rope_base) / self.dimensions.rope_divisor

    def turns(self, base: float) -> NDArray[np.float64]:
        """Return the angles of a base, unscaled; float64[rotary_size / 2]."""
        size = self.dimensions.rotary_size
        turns: NDArray[np.float64] = base ** -(np.arange(0, size, 2) / size)
        return turns

    def embed(self) -> str:
        """Return float32[batch, length, hidden]."""
        return self.embedding.lookup("input_ids")

    def attention(self, layer: int, x: str) -> str:
        """Return what attention adds to the residual."""
        sizes = self.dimensions
        label = f"layer.{layer}.attention"
        qkv = self.queries_keys_values(layer, x)
        cosines, sines = self.rotary(layer)
        cap = self.attention_cap()
        out = self.graph.node(
            "GroupQueryAttention",
            [
                *qkv,
                f"past_key_values.{layer}.key",
                f"past_key_values.{layer}.value",
                "last_positions",
                "total_length",
                cosines,
                sines,
            ],
            [f"{label}.out", f"present.{layer}.key", f"present.{layer}.value"],
            domain=MICROSOFT,
            num_heads=sizes.heads,
            kv_num_heads=sizes.kv_heads,
            scale=self.attention_scale(),
            do_rotary=int(cosines != ""),
            rotary_interleaved=0,
            local_window_size=self.window(layer),
            **({"softcap": cap} if cap else {}),
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
        size, rotated = self.dimensions.head_size, self.dimensions.rotary_size
        rows = np.arange(heads * size).reshape(heads, size)
        pairs = rows[:, :rotated].reshape(heads, rotated // 2, 2)
        halves = pairs.swapaxes(1, 2).reshape(heads, rotated)
        return np.concatenate([halves, rows[:, rotated:]], axis=1).reshape(-1)

    def attention_scale(self) -> float:
        """Return what products of queries and keys are multiplied by."""
        return float(self.dimensions.head_size**-0.5)

    def attention_cap(self) -> float:
        """Return the size that attention's scores come near to and never reach; 0 for none."""
        return 0.0

    def window(self, layer: int) -> int:
        """Return how many keys a token of this layer sees, -1 for all."""
        window = self.dimensions.window_tokens or self.window_tokens
        return window if self.is_local(layer) and 0 < window < self.context_tokens else -1

    def is_local(self, layer: int) -> bool:
        """Say whether the window holds in this layer, whether or not the context exceeds it."""
        return self._local[layer]

    def feed_forward(self, layer: int, x: str) -> str:
        """Return what the feed-forward part adds to the residual."""
        sizes, graph = self.dimensions, self.graph
        label = f"layer.{layer}.feed"
        width = sizes.feed_forward
        both = self.products.linear(
            x, sizes.hidden, self.gate_and_up(layer, width), label=f"{label}.in"
        )
        halves = graph.constant("split.feed", np.array([width, width]))
        graph.node("Split", [both, halves], [f"{label}.gate", f"{label}.up"], axis=-1)
        active = self.activate(f"{label}.gate")
        gated = graph.node("Mul", [active, f"{label}.up"], [f"{label}.gated"])
        down = Matrix(f"blk.{layer}.ffn_down", sizes.hidden)
        return self.products.linear(gated, width, [down], label=f"{label}.down")

    def gate_and_up(self, layer: int, width: int) -> list[Matrix]:
        """Return the matrices that give a layer's gate and, behind it, what it gates."""
        return [Matrix(f"blk.{layer}.ffn_{part}", width) for part in ("gate", "up")]

    def activate(self, x: str) -> str:
        """Return the activation of x: SiLU, which is QuickGelu with alpha 1."""
        return self.graph.node("QuickGelu", [x], [f"{x}.active"], domain=MICROSOFT, alpha=1.0)

    def norm(self, x: str, name: str, *, out: str, width: int = 0) -> str:
        """Return x normalised by its root mean square and scaled; it is hidden or `width` wide."""
        return self.graph.node(
            "SimplifiedLayerNormalization",
            [x, self.norm_weight(name, width)],
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

    def norm_weight(self, name: str, width: int = 0) -> str:
        """Return the name of a norm's scales."""
        vector = self.weights.vector(f"{name}.weight", width or self.dimensions.hidden)
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

    def setting(self, key: str, default: float) -> float:
        """Return a number of this architecture's metadata.

        Raises:
            ModelDamaged: It is no number, or one that no model has.
        """
        name = f"{self.architecture}.{key}"
        value = self.metadata.number(name, default)
        if abs(value) > _LARGEST_SETTING:
            raise self.metadata.damaged(f"{name} is absurd")
        return value

    def scaled(self, x: str, by: float, *, out: str) -> str:
        """Return x times a number, without a node where that is 1."""
        if by == 1:
            return x
        factor = self.graph.constant(f"factor.{by!r}", np.array(by, np.float32))
        return self.graph.node("Mul", [x, factor], [out])
