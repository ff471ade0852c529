"""The two ends of a decoder: token ids to vectors, and vectors to one score a token.

Files with a tied output use one matrix for both. It is stored once: lookup and product look at the
same range of the data file with different shapes.
"""

import numpy as np

from inference.gguf.blocks import LAYOUTS
from inference.gguf.graph import MICROSOFT, ElementType, Extent
from inference.gguf.packer import Packed, Rows
from inference.gguf.products import FLOATS, Matrix, Products
from inference.gguf.reader import Tensor

EMBEDDING = "token_embd.weight"
_OUTPUT = "output"


class Embedding:
    """Embedding and output of one graph; `lookup` comes before `scores`."""

    def __init__(self, products: Products, *, hidden: int) -> None:
        weights = products.weights
        self._graph = products.graph
        self._packer = products.packer
        self._products = products
        self._hidden = hidden
        self._tied = f"{_OUTPUT}.weight" not in weights
        rows = weights.file.tensors.get(EMBEDDING)
        self.vocabulary = rows.shape[0] if rows else 0
        self._tensor = weights.claim(EMBEDDING, (self.vocabulary, hidden))
        self._packed: Packed | None = None

    def lookup(self, ids: str) -> str:
        """Return the name of float32[batch, length, hidden]."""
        if self._tensor.type.name in LAYOUTS:
            return self._quantised_lookup(ids, self._tensor)
        kind = FLOATS[self._tensor.type.name]
        extent = self._packer.plain([Rows(self._tensor)])
        weight = self._graph.weight("embedding", kind, self._tensor.shape, extent)
        out = self._graph.node("Gather", [weight, ids], ["embedded"], axis=0)
        if kind is ElementType.FLOAT32:
            return out
        # After the Gather: the runtime would fold a Cast before it and hold the matrix twice.
        return self._graph.node("Cast", [out], ["embedded.float32"], to=ElementType.FLOAT32)

    def scores(self, x: str, *, out: str) -> str:
        """Return the name of float32[batch, length, vocabulary]."""
        if not self._tied:
            output = Matrix(_OUTPUT, self.vocabulary)
            return self._products.linear(x, self._hidden, [output], label=_OUTPUT, out=out)
        if self._packed is not None:
            return self._products.quantised(x, self._packed, label=_OUTPUT, out=out)
        kind = FLOATS[self._tensor.type.name]
        return self._products.plain(x, "embedding", kind, out=out)

    def _quantised_lookup(self, ids: str, tensor: Tensor) -> str:
        layout = LAYOUTS[tensor.type.name]
        packed = self._packer.quantised([Rows(tensor)], layout, product=self._tied, lookup=True)
        self._packed = packed
        shape = (packed.rows, layout.packed_bytes(packed.columns))
        scales = (packed.rows, packed.blocks)
        out = self._graph.node(
            "GatherBlockQuantized",
            [
                self._graph.weight("embedding.values", ElementType.UINT8, shape, packed.values),
                ids,
                self._graph.weight("embedding.scales", ElementType.FLOAT32, scales, packed.scales),
            ],
            ["embedded"],
            domain=MICROSOFT,
            bits=layout.bits,
            block_size=layout.block,
            gather_axis=0,
            quantize_axis=1,
        )
        if packed.offsets is None:
            return out
        return self._add_offsets(out, ids, packed, packed.offsets)

    def _add_offsets(self, x: str, ids: str, packed: Packed, extent: Extent) -> str:
        graph = self._graph
        shape = (packed.rows, packed.blocks)
        offsets = graph.weight("embedding.offsets", ElementType.FLOAT32, shape, extent)
        by_block = graph.constant("shape.embedding", np.array([0, 0, -1, packed.layout.block]))
        row = graph.constant("shape.row", np.array([0, 0, -1]))
        last = graph.constant("axis.last", np.array([-1]))
        graph.node("Gather", [offsets, ids], ["embedded.offsets"], axis=0)
        graph.node("Unsqueeze", ["embedded.offsets", last], ["embedded.spread"])
        graph.node("Reshape", [x, by_block], ["embedded.blocks"])
        graph.node("Add", ["embedded.blocks", "embedded.spread"], ["embedded.moved"])
        return graph.node("Reshape", ["embedded.moved", row], ["embedded.rows"])
