"""What the runtime gives a decoder and takes from it."""

from typing import TypeAlias

import numpy as np

from inference.gguf.families.dimensions import Dimensions
from inference.gguf.graph import ElementType, Graph

_Shape: TypeAlias = list[int | str]


def declare_ports(graph: Graph, sizes: Dimensions, *, rows: int) -> None:
    """Declare ids, mask, scores of `rows` tokens, and the KV cache."""
    graph.input("input_ids", ElementType.INT64, ["batch", "length"])
    graph.input("attention_mask", ElementType.INT64, ["batch", "total"])
    graph.output("logits", ElementType.FLOAT32, ["batch", "length", rows])
    for layer in range(sizes.layers):
        for part in ("key", "value"):
            past: _Shape = ["batch", sizes.kv_heads, "past", sizes.head_size]
            present: _Shape = ["batch", sizes.kv_heads, "total", sizes.head_size]
            name = f"{layer}.{part}"
            graph.input(f"past_key_values.{name}", ElementType.FLOAT32, past)
            graph.output(f"present.{name}", ElementType.FLOAT32, present)


def add_lengths(graph: Graph) -> None:
    """Add `last_positions` (int32[batch]) and `total_length` (int32), which attention reads."""
    one = graph.constant("one", np.array([1]))
    graph.node("ReduceSum", ["attention_mask", one], ["lengths"], keepdims=0)
    graph.node("Sub", ["lengths", one], ["positions"])
    graph.node("Cast", ["positions"], ["last_positions"], to=ElementType.INT32)
    graph.node("Shape", ["attention_mask"], ["mask_width"], start=1, end=2)
    graph.node("Squeeze", ["mask_width"], ["mask_length"])
    graph.node("Cast", ["mask_length"], ["total_length"], to=ElementType.INT32)
