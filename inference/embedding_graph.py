"""The graph of a BERT encoder whose last layer is summed over a text's tokens.

Written with the runtime's fused operators (attention, normalization, activation), so that nothing
is left for it to rewrite at each start. Matrices hold 8-bit weights with a scale for each block of
a row, as the models of `inference.gguf` do, and the inputs are rounded to 8 bits as they come.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inference.embedding_weights import EmbeddingFile, Floats
from inference.errors import ModelUnsupported
from inference.gguf.data_file import DataFile
from inference.gguf.graph import MICROSOFT, ElementType, Graph

IDS, POSITIONS, MASK, WEIGHTS, SUMS = "ids", "positions", "mask", "weights", "sums"
"""The ports: int64[texts, tokens], int64[tokens], int32[texts, tokens], float32[texts, 1, tokens],
and float32[texts, 1, hidden]."""

_LAYER = "encoder.layer.{}"
_HEAD_SIZE = 32
_BLOCK = 32
_BITS = 8
_ZERO = 128
_LARGEST = 127
_FAST_LEVEL = 4
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Encoder:
    """Sizes of an encoder, read from its tensors."""

    words: int
    positions: int
    hidden: int
    inner: int
    layers: int

    @classmethod
    def of(cls, file: EmbeddingFile) -> "Encoder":
        """Return the sizes of the encoder in `file`.

        Raises:
            ModelDamaged: A tensor is missing.
            ModelUnsupported: Its heads are of another size than this graph's.
        """
        words, hidden = file.shape("embeddings.word_embeddings.weight")
        if hidden % _HEAD_SIZE or hidden % _BLOCK:
            raise ModelUnsupported(what=f"an encoder of {hidden} numbers a token")
        layers = 0
        while file.has(f"{_LAYER.format(layers)}.output.dense.weight"):
            layers += 1
        return cls(
            words=words,
            positions=file.shape("embeddings.position_embeddings.weight")[0],
            hidden=hidden,
            inner=file.shape(f"{_LAYER.format(0)}.intermediate.dense.weight")[0],
            layers=layers,
        )

    @property
    def parameters(self) -> int:
        """How many weights it has, without the classifier that embedding does not need."""
        layer = 4 * self.hidden * (self.hidden + 1) + 4 * self.hidden
        layer += 2 * self.hidden * self.inner + self.inner + self.hidden
        return (self.words + self.positions + 4) * self.hidden + self.layers * layer


class EncoderGraph:
    """Builds the graph of one encoder, its weights going into `data`."""

    def __init__(self, file: EmbeddingFile, encoder: Encoder, data: DataFile) -> None:
        self._file = file
        self._encoder = encoder
        self._data = data
        self._graph = Graph()

    def build(self) -> Graph:
        """Return the finished graph."""
        graph, encoder = self._graph, self._encoder
        graph.input(IDS, ElementType.INT64, ("texts", "tokens"))
        graph.input(POSITIONS, ElementType.INT64, ("tokens",))
        graph.input(MASK, ElementType.INT32, ("texts", "tokens"))
        graph.input(WEIGHTS, ElementType.FLOAT32, ("texts", 1, "tokens"))
        graph.output(SUMS, ElementType.FLOAT32, ("texts", 1, encoder.hidden))
        x = self._embed()
        for number in range(encoder.layers):
            x = self._layer(x, _LAYER.format(number))
        graph.node("MatMul", [WEIGHTS, x], [SUMS])
        return graph

    def _embed(self) -> str:
        encoder, graph = self._encoder, self._graph
        words = self._file.tensor(
            "embeddings.word_embeddings.weight", (encoder.words, encoder.hidden)
        )
        scales = _scales(words)
        values = np.rint(words / scales).astype(np.int8)
        rows = graph.weight("words", ElementType.INT8, values.shape, self._data.array(values))
        sizes = graph.weight(
            "words.scales", ElementType.FLOAT32, scales.shape, self._data.array(scales)
        )
        graph.node("Gather", [rows, IDS], ["word.rows"], axis=0)
        graph.node("Cast", ["word.rows"], ["word.floats"], to=ElementType.FLOAT32)
        graph.node("Gather", [sizes, IDS], ["word.scales"], axis=0)
        graph.node("Mul", ["word.floats", "word.scales"], ["word"])
        # All text is of the first kind: its vector belongs to every position.
        positions = self._file.tensor(
            "embeddings.position_embeddings.weight", (encoder.positions, encoder.hidden)
        )
        kinds = self._file.tensor("embeddings.token_type_embeddings.weight", (2, encoder.hidden))
        table = self._floats("positions.table", positions + kinds[0])
        graph.node("Gather", [table, POSITIONS], ["position"], axis=0)
        graph.node("Add", ["word", "position"], ["token"])
        gamma, beta = self._norm("embeddings.LayerNorm")
        return graph.node(
            "LayerNormalization", ["token", gamma, beta], ["embedded"], axis=-1, epsilon=_EPSILON
        )

    def _layer(self, x: str, name: str) -> str:
        graph, hidden = self._graph, self._encoder.hidden
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = self._product(x, parts, (hidden, hidden), out=f"{name}.all")
        sides = [f"{name}.query", f"{name}.key", f"{name}.value"]
        graph.node("Split", [joined], sides, axis=-1, num_outputs=3)
        attended = graph.node(
            "MultiHeadAttention",
            [*sides, "", MASK],
            [f"{name}.attended"],
            domain=MICROSOFT,
            num_heads=hidden // _HEAD_SIZE,
            scale=1 / math.sqrt(_HEAD_SIZE),
        )
        mixed = self._product(
            attended, [f"{name}.attention.output.dense"], (hidden, hidden), out=f"{name}.mixed"
        )
        x = self._add_and_norm(mixed, x, f"{name}.attention.output.LayerNorm")
        inner = self._encoder.inner
        wide = self._product(x, [f"{name}.intermediate.dense"], (inner, hidden), out=f"{name}.wide")
        graph.node("Gelu", [wide], [f"{name}.active"], domain=MICROSOFT)
        narrow = self._product(
            f"{name}.active", [f"{name}.output.dense"], (hidden, inner), out=f"{name}.narrow"
        )
        return self._add_and_norm(narrow, x, f"{name}.output.LayerNorm")

    def _product(self, x: str, parts: list[str], shape: tuple[int, int], *, out: str) -> str:
        """Return the name of x times the transposes of `parts`, side by side, biases added."""
        matrix = np.concatenate([self._file.tensor(f"{part}.weight", shape) for part in parts])
        bias = np.concatenate([self._file.tensor(f"{part}.bias", shape[:1]) for part in parts])
        rows, columns = matrix.shape
        blocks = matrix.reshape(rows, columns // _BLOCK, _BLOCK)
        scales = _scales(blocks)
        values = (np.rint(blocks / scales) + _ZERO).astype(np.uint8)
        flat = scales[..., 0]
        return self._graph.node(
            "MatMulNBits",
            [
                x,
                self._graph.weight(
                    f"{out}.values", ElementType.UINT8, values.shape, self._data.array(values)
                ),
                self._graph.weight(
                    f"{out}.scales", ElementType.FLOAT32, flat.shape, self._data.array(flat)
                ),
                "",
                "",
                self._floats(f"{out}.bias", bias),
            ],
            [out],
            domain=MICROSOFT,
            K=columns,
            N=rows,
            bits=_BITS,
            block_size=_BLOCK,
            accuracy_level=_FAST_LEVEL,
        )

    def _add_and_norm(self, x: str, skipped: str, name: str) -> str:
        return self._graph.node(
            "SkipLayerNormalization",
            [x, skipped, *self._norm(name)],
            [f"{name}.out"],
            domain=MICROSOFT,
            epsilon=_EPSILON,
        )

    def _norm(self, name: str) -> tuple[str, str]:
        size = (self._encoder.hidden,)
        return (
            self._floats(f"{name}.gamma", self._file.tensor(f"{name}.weight", size)),
            self._floats(f"{name}.beta", self._file.tensor(f"{name}.bias", size)),
        )

    def _floats(self, name: str, array: Floats) -> str:
        extent = self._data.array(array)
        return self._graph.weight(name, ElementType.FLOAT32, array.shape, extent)


def _scales(rows: NDArray[np.float32]) -> Floats:
    """Return what the largest number of each row divides by to become 127; 1 for rows of zeros."""
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    return np.where(largest == 0, 1, largest / _LARGEST).astype(np.float32)
