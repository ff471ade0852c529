"""An ONNX model as it grows: nodes, ports, and weights that lie in a data file beside it.

Written by hand because the `onnx` package would hold every tensor in memory; its checker reads the
result in the tests. Weights are references into the data file; two may share a range of it, with
different shapes, which is how embedding and output are stored once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from inference.gguf import protobuf

MICROSOFT = "com.microsoft"
DATA_FILE = "model.onnx.data"

_IR_VERSION = 10
_OPSET = 21
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2
_EXTERNAL = 1


class ElementType(IntEnum):
    """What a tensor is made of, by ONNX's numbers."""

    FLOAT32 = 1
    UINT8 = 2
    INT32 = 6
    INT64 = 7
    FLOAT16 = 10
    BFLOAT16 = 16


_OF_ARRAY = {
    "float32": ElementType.FLOAT32,
    "uint8": ElementType.UINT8,
    "int64": ElementType.INT64,
}


@dataclass(frozen=True, slots=True)
class Extent:
    """A range of the data file, in bytes."""

    offset: int
    length: int


class Graph:
    """Collects the parts of one model; `serialize` returns the file without the weights."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._weights: dict[str, bytes] = {}
        self._ports: list[bytes] = []

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        domain: str = "",
        **attributes: float,
    ) -> str:
        """Add a node and return the name of its first output."""
        parts = [protobuf.text(1, name) for name in inputs]
        parts += [protobuf.text(2, name) for name in outputs]
        parts += [protobuf.text(3, f"{operator}_{len(self._nodes)}"), protobuf.text(4, operator)]
        parts += [_attribute(name, value) for name, value in attributes.items()]
        if domain:
            parts.append(protobuf.text(7, domain))
        self._nodes.append(protobuf.message(1, *parts))
        return outputs[0]

    def constant(self, name: str, array: NDArray[np.generic]) -> str:
        """Add a small tensor that lives in the graph itself, once; return its name."""
        if name not in self._weights:
            kind = _OF_ARRAY[array.dtype.name]
            raw = protobuf.message(9, np.ascontiguousarray(array).tobytes())
            self._weights[name] = _tensor(name, kind, array.shape, raw)
        return name

    def weight(self, name: str, kind: ElementType, shape: Sequence[int], extent: Extent) -> str:
        """Add a tensor that lies in the data file; return its name."""
        where = {"location": DATA_FILE, "offset": str(extent.offset), "length": str(extent.length)}
        entries = [
            protobuf.message(13, protobuf.text(1, key), protobuf.text(2, value))
            for key, value in where.items()
        ]
        body = b"".join(entries) + protobuf.integer(14, _EXTERNAL)
        self._weights[name] = _tensor(name, kind, shape, body)
        return name

    def input(self, name: str, kind: ElementType, dimensions: Sequence[int | str]) -> None:
        """Declare an input; a dimension is a number or a name."""
        self._ports.append(_port(11, name, kind, dimensions))

    def output(self, name: str, kind: ElementType, dimensions: Sequence[int | str]) -> None:
        """Declare an output."""
        self._ports.append(_port(12, name, kind, dimensions))

    def serialize(self) -> bytes:
        """Return the ONNX file."""
        weights = [protobuf.message(5, weight) for weight in self._weights.values()]
        graph = [*self._nodes, protobuf.text(2, "decoder"), *weights, *self._ports]
        return b"".join(
            [
                protobuf.integer(1, _IR_VERSION),
                protobuf.text(2, "snug"),
                protobuf.message(7, *graph),
                protobuf.message(8, protobuf.text(1, ""), protobuf.integer(2, _OPSET)),
                protobuf.message(8, protobuf.text(1, MICROSOFT), protobuf.integer(2, 1)),
            ]
        )


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        body = protobuf.integer(3, value) + protobuf.integer(20, _ATTRIBUTE_INT)
    else:
        body = protobuf.real(2, value) + protobuf.integer(20, _ATTRIBUTE_FLOAT)
    return protobuf.message(5, protobuf.text(1, name), body)


def _tensor(name: str, kind: ElementType, shape: Sequence[int], body: bytes) -> bytes:
    dimensions = b"".join(protobuf.integer(1, size) for size in shape)
    return dimensions + protobuf.integer(2, kind) + protobuf.text(8, name) + body


def _port(field: int, name: str, kind: ElementType, dimensions: Sequence[int | str]) -> bytes:
    sizes = [
        protobuf.message(
            1, protobuf.integer(1, size) if isinstance(size, int) else protobuf.text(2, size)
        )
        for size in dimensions
    ]
    tensor = protobuf.integer(1, kind) + protobuf.message(2, *sizes)
    return protobuf.message(
        field, protobuf.text(1, name), protobuf.message(2, protobuf.message(1, tensor))
    )
