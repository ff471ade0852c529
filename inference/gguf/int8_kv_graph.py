"""The same decoder with a KV cache of 8-bit numbers, as a second graph over the same weights.

Attention divides what it keeps by a scale for each number of a head. The scales cannot be known
before the model has read something, so they lie in a file of their own that does not exist until
the host has measured them (`inference.int8_kv`); until then the graph cannot be loaded.

Measuring relies on heads that are rotated as a whole, first half against second.
"""

from dataclasses import replace

from inference.gguf.families.dimensions import Dimensions
from inference.gguf.graph import ElementType, Extent, Graph, Node
from inference.int8_record import SCALES_FILE

_ATTENTION = "GroupQueryAttention"
_CACHES = ("past_key_values.", "present.")
_PARTS = ("key", "value")
# Attention's optional inputs end before these two.
_FIRST_SCALE = 12
_FLOAT_BYTES = 4


def int8_kv_graph(graph: Graph, dimensions: Dimensions) -> Graph | None:
    """Return the variant of a finished graph, or None where heads are rotated in part.

    Its scales are float32[layers, 2, kv_heads, head_size], keys before values.
    """
    if dimensions.rotary_size != dimensions.head_size:
        return None
    smaller = graph.copy()
    smaller.ports = [
        replace(port, kind=ElementType.INT8) if port.name.startswith(_CACHES) else port
        for port in graph.ports
    ]
    length = dimensions.kv_heads * dimensions.head_size * _FLOAT_BYTES
    shape = (1, dimensions.kv_heads, 1, dimensions.head_size)
    for number in range(dimensions.layers * len(_PARTS)):
        layer, part = divmod(number, len(_PARTS))
        extent = Extent(number * length, length)
        name = _scale(layer, _PARTS[part])
        smaller.weight(name, ElementType.FLOAT32, shape, extent, file=SCALES_FILE)
    attentions = iter(range(dimensions.layers))
    smaller.nodes = [
        _scaled(node, next(attentions)) if node.operator == _ATTENTION else node
        for node in graph.nodes
    ]
    return smaller


def _scaled(node: Node, layer: int) -> Node:
    left_out = ("",) * (_FIRST_SCALE - len(node.inputs))
    scales = tuple(_scale(layer, part) for part in _PARTS)
    kinds = {"k_quant_type": "PER_CHANNEL", "v_quant_type": "PER_CHANNEL"}
    return replace(
        node,
        inputs=(*node.inputs, *left_out, *scales),
        attributes={**node.attributes, **kinds, "kv_cache_bit_width": 8},
    )


def _scale(layer: int, part: str) -> str:
    return f"scale.{layer}.{part}"
