"""Norms of single heads, between the products of queries and keys and their rotation.

The runtime's attention has inputs for them, which its kernel for the CPU refuses.
"""

import numpy as np

from inference.gguf.families.decoder import Decoder


def normed_heads(decoder: Decoder, layer: int, packed: str) -> tuple[str, str, str]:
    """Return queries, keys and values one by one, the first two normalised a head at a time.

    `packed` is float32[batch, length, (heads + 2 * kv_heads) * head_size].
    """
    graph, sizes = decoder.graph, decoder.dimensions
    label = f"layer.{layer}"
    widths = [heads * sizes.head_size for heads in (sizes.heads, sizes.kv_heads, sizes.kv_heads)]
    parts = [f"{label}.{part}" for part in ("queries", "keys", "values")]
    graph.node("Split", [packed, graph.constant("split.qkv", np.array(widths))], parts, axis=-1)
    by_head = graph.constant("shape.heads", np.array([0, 0, -1, sizes.head_size]))
    whole = graph.constant("shape.row", np.array([0, 0, -1]))

    def normed(x: str, name: str) -> str:
        heads = graph.node("Reshape", [x, by_head], [f"{x}.heads"])
        decoder.norm(heads, f"blk.{layer}.{name}", out=f"{x}.normed", width=sizes.head_size)
        return graph.node("Reshape", [f"{x}.normed", whole], [f"{x}.rows"])

    queries, keys, values = parts
    return normed(queries, "attn_q_norm"), normed(keys, "attn_k_norm"), values
