"""What tiny models of each architecture have beside what all of them have.

Windows are short and factors are far from 1, so that a model that left one out would write other
numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shape:
    """Sizes of a tiny model; every width is a multiple of 256, so that each type fits."""

    layers: int = 2
    hidden: int = 256
    feed_forward: int = 512
    heads: int = 4
    kv_heads: int = 2
    head_size: int = 64
    context_tokens: int = 2048


SHAPES = {
    "gemma2": Shape(layers=3),
    "gemma3": Shape(layers=7),
    "qwen3": Shape(head_size=128),
    "smollm3": Shape(layers=5),
}
"""Layers enough that each kind of them is there; heads wider than the model's width."""

PAIRS: dict[str, dict[str, Any]] = {
    "gemma2": {
        "attention.sliding_window": 16,
        "attn_logit_softcapping": 2.0,
        "final_logit_softcapping": 3.0,
    },
    "gemma3": {
        "attention.sliding_window": 16,
        "rope.freq_base": 1_000_000.0,
        "rope.scaling.type": "linear",
        "rope.scaling.factor": 8.0,
    },
    "granite": {
        "embedding_scale": 12.0,
        "residual_scale": 0.22,
        "attention.scale": 0.0625,
        "logit_scale": 8.0,
    },
    "phi3": {"rope.dimension_count": 48, "attention.sliding_window": 16},
}
"""Keys of the metadata, without the architecture in front."""


def matrices(architecture: str, shape: Shape) -> Iterable[tuple[str, int, int]]:
    """Yield (name, rows, columns) of one layer's matrices."""
    wide, narrow = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    if architecture == "phi3":
        yield "attn_qkv", wide + 2 * narrow, shape.hidden
        yield "ffn_up", 2 * shape.feed_forward, shape.hidden
    else:
        yield "attn_q", wide, shape.hidden
        yield "attn_k", narrow, shape.hidden
        yield "attn_v", narrow, shape.hidden
        yield "ffn_gate", shape.feed_forward, shape.hidden
        yield "ffn_up", shape.feed_forward, shape.hidden
    yield "attn_output", shape.hidden, wide
    yield "ffn_down", shape.hidden, shape.feed_forward


def norms(architecture: str, shape: Shape) -> Iterable[tuple[str, int]]:
    """Yield (name, length) of one layer's norms."""
    yield "attn_norm", shape.hidden
    yield "ffn_norm", shape.hidden
    if architecture in ("gemma2", "gemma3"):
        yield "post_attention_norm", shape.hidden
        yield "post_ffw_norm", shape.hidden
    if architecture in ("qwen3", "gemma3"):
        yield "attn_q_norm", shape.head_size
        yield "attn_k_norm", shape.head_size
