"""The matrix products of a decoder, out of however the file stores their weights.

Several matrices on one input become one product where their layouts agree, else one for each run of
equal layouts with a Concat behind, so that a file may mix its types freely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from inference.gguf.blocks import LAYOUTS, Layout
from inference.gguf.graph import MICROSOFT, ElementType, Extent, Graph
from inference.gguf.minimums import column_groups
from inference.gguf.packer import Packed, Packer, Rows
from inference.gguf.reader import Tensor
from inference.gguf.weights import Weights

FLOATS = {
    "F32": ElementType.FLOAT32,
    "F16": ElementType.FLOAT16,
    "BF16": ElementType.BFLOAT16,
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of the model, and with it its bias where the file has one.

    Attributes:
        name: The tensor's name without `.weight`.
        order: Which of its rows come in which order; None keeps the file's.
    """

    name: str
    rows: int
    order: NDArray[np.intp] | None = None


class Products:
    """Adds products to a graph; `graph`, `weights` and `packer` are there for whoever adds more.

    Args:
        accuracy_level: Of MatMulNBits: 1 multiplies in float32, 4 rounds activations to int8.
    """

    def __init__(
        self, graph: Graph, weights: Weights, packer: Packer, *, accuracy_level: int
    ) -> None:
        self.graph = graph
        self.weights = weights
        self.packer = packer
        self._accuracy_level = accuracy_level
        self._block_sums: dict[str, str] = {}
        self._wide: dict[str, str] = {}

    def linear(
        self, x: str, columns: int, matrices: Sequence[Matrix], *, label: str, out: str = ""
    ) -> str:
        """Return the name of x times the transposes of `matrices`, side by side, biases added."""
        out = out or f"{label}.out"
        claimed = [
            (matrix, self.weights.claim(f"{matrix.name}.weight", (matrix.rows, columns)))
            for matrix in matrices
        ]
        runs = [list(run) for _, run in groupby(claimed, lambda item: _kind(item[1]))]
        if len(runs) == 1:
            return self._run(x, runs[0], label=label, out=out)
        outs = [
            self._run(x, run, label=f"{label}.{number}", out=f"{label}.{number}.out")
            for number, run in enumerate(runs)
        ]
        return self.graph.node("Concat", outs, [out], axis=-1)

    def quantised(self, x: str, packed: Packed, *, label: str, out: str, bias: str = "") -> str:
        """Return the name of the product of x and a matrix in the data file."""
        main = out if packed.rest is None else f"{out}.main"
        columns, blocks = packed.columns, packed.blocks
        if packed.zeros is not None:
            x = self._with_sums(x, packed.layout.block)
            columns, blocks = columns + blocks, blocks + column_groups(blocks)
        inputs = [x, *self._quantised_inputs(packed, blocks, label)]
        if bias:
            inputs += [""] * (5 - len(inputs)) + [bias]
        self.graph.node(
            "MatMulNBits",
            inputs,
            [main],
            domain=MICROSOFT,
            K=columns,
            N=packed.rows,
            bits=packed.layout.bits,
            block_size=packed.layout.block,
            accuracy_level=self._accuracy_level,
        )
        if packed.rest is None:
            return main
        left = self._rest(x, packed, packed.rest, label=label)
        return self.graph.node("Add", [main, left], [out])

    def plain(self, x: str, weight: str, kind: ElementType, *, out: str, bias: str = "") -> str:
        """Return the name of the product of x and a float matrix [rows, columns] of the graph."""
        if kind is not ElementType.FLOAT32:
            cast = [f"{weight}.float32"]
            weight = self.graph.node("Cast", [weight], cast, to=ElementType.FLOAT32)
        product = [f"{out}.main" if bias else out]
        self.graph.node("FusedMatMul", [x, weight], product, domain=MICROSOFT, transB=1)
        return self.graph.node("Add", [*product, bias], [out]) if bias else out

    def _run(self, x: str, run: Sequence[tuple[Matrix, Tensor]], *, label: str, out: str) -> str:
        parts = [Rows(tensor, matrix.order) for matrix, tensor in run]
        bias = self._bias([matrix for matrix, _ in run], label)
        kind = _kind(run[0][1])
        if isinstance(kind, Layout):
            packed = self.packer.quantised(parts, kind, product=True, lookup=False)
            return self.quantised(x, packed, label=label, out=out, bias=bias)
        shape = (sum(matrix.rows for matrix, _ in run), run[0][1].shape[1])
        weight = self.graph.weight(f"{label}.weight", kind, shape, self.packer.plain(parts))
        return self.plain(x, weight, kind, out=out, bias=bias)

    def _bias(self, matrices: Sequence[Matrix], label: str) -> str:
        present = [f"{matrix.name}.bias" in self.weights for matrix in matrices]
        if not any(present):
            return ""
        vectors = []
        for matrix, is_there in zip(matrices, present, strict=True):
            vector = np.zeros(matrix.rows, np.float32)
            if is_there:
                vector = self.weights.vector(f"{matrix.name}.bias", matrix.rows)
            vectors.append(vector if matrix.order is None else vector[matrix.order])
        joined = np.concatenate(vectors)
        extent = self.packer.array(joined)
        return self.graph.weight(f"{label}.bias", ElementType.FLOAT32, joined.shape, extent)

    def _quantised_inputs(self, packed: Packed, blocks: int, label: str) -> list[str]:
        layout, graph = packed.layout, self.graph
        shape = (packed.rows, blocks, layout.packed_bytes(layout.block))
        inputs = [
            graph.weight(f"{label}.values", ElementType.UINT8, shape, packed.values),
            graph.weight(f"{label}.scales", ElementType.FLOAT32, shape[:2], packed.scales),
        ]
        if packed.zeros is not None:
            bits = blocks * layout.bits
            zeros = (packed.rows, -(-bits // 8))
            inputs.append(graph.weight(f"{label}.zeros", ElementType.UINT8, zeros, packed.zeros))
        return inputs

    def _rest(self, x: str, packed: Packed, rest: Extent, *, label: str) -> str:
        sums = self._sums(x, packed.layout.block)
        shape = (packed.blocks, packed.rows)
        weight = self.graph.weight(f"{label}.rest", ElementType.FLOAT32, shape, rest)
        return self.graph.node("MatMul", [sums, weight], [f"{label}.rest.out"])

    def _with_sums(self, x: str, block: int) -> str:
        """Return x with the sums of its blocks behind it."""
        if x not in self._wide:
            sums = self._sums(x, block)
            self._wide[x] = self.graph.node("Concat", [x, sums], [f"{x}.wide"], axis=-1)
        return self._wide[x]

    def _sums(self, x: str, block: int) -> str:
        """Return the sums of x over its blocks; a product with a 0/1 matrix costs 20 times more."""
        if x not in self._block_sums:
            shape = self.graph.constant(f"shape.blocks.{block}", np.array([0, 0, -1, block]))
            axis = self.graph.constant("axis.last", np.array([-1]))
            blocks = self.graph.node("Reshape", [x, shape], [f"{x}.blocks"])
            self._block_sums[x] = self.graph.node(
                "ReduceSum", [blocks, axis], [f"{x}.sums"], keepdims=0
            )
        return self._block_sums[x]


def _kind(tensor: Tensor) -> Layout | ElementType:
    return LAYOUTS.get(tensor.type.name) or FLOATS[tensor.type.name]
