"""An ONNX model as it grows: nodes, ports, and weights that lie in a data file beside it.

Written by hand because the `onnx` package would hold every tensor in memory; its checker reads the
result in the tests. Weights are references into the data file; two may share a range of it, with
different shapes, which is how embedding and output are stored once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inference.gguf import protobuf

MICROSOFT = "com.microsoft"
DATA_FILE = "model.onnx.data"

_IR_VERSION = 10
_OPSET = 21
_INPUT, _OUTPUT = 11, 12
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_STRING = 1, 2, 3
_EXTERNAL = 1


class ElementType(IntEnum):
    """What a tensor is made of, by ONNX's numbers."""

    FLOAT32 = 1
    UINT8 = 2
    INT8 = 3
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


Attribute: TypeAlias = float | str


@dataclass(frozen=True, slots=True)
class Node:
    """One operator; an input or output that is left out has an empty name."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str
    attributes: dict[str, Attribute]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of the whole model; a dimension is a number or a name."""

    name: str
    kind: ElementType
    dimensions: tuple[int | str, ...]
    is_output: bool


class Graph:
    """Collects the parts of one model; `serialize` returns the file without the weights.

    Attributes:
        nodes: In the order in which they are computed.
        ports: The model's own inputs and outputs.
        weights: Tensors as the file describes them, by name.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.ports: list[Port] = []
        self.weights: dict[str, bytes] = {}

    def copy(self) -> Self:
        """Return a graph that grows apart from this one."""
        copied = type(self)()
        copied.nodes, copied.ports = list(self.nodes), list(self.ports)
        copied.weights = dict(self.weights)
        return copied

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Add a node and return the name of its first output."""
        self.nodes.append(Node(operator, tuple(inputs), tuple(outputs), domain, attributes))
        return outputs[0]

    def constant(self, name: str, array: NDArray[np.generic]) -> str:
        """Add a small tensor that lives in the graph itself, once; return its name."""
        if name not in self.weights:
            kind = _OF_ARRAY[array.dtype.name]
            raw = protobuf.message(9, np.ascontiguousarray(array).tobytes())
            self.weights[name] = _tensor(name, kind, array.shape, raw)
        return name

    def weight(
        self,
        name: str,
        kind: ElementType,
        shape: Sequence[int],
        extent: Extent,
        *,
        file: str = DATA_FILE,
    ) -> str:
        """Add a tensor that lies in a file beside the graph; return its name."""
        where = {"location": file, "offset": str(extent.offset), "length": str(extent.length)}
        entries = [
            protobuf.message(13, protobuf.text(1, key), protobuf.text(2, value))
            for key, value in where.items()
        ]
        body = b"".join(entries) + protobuf.integer(14, _EXTERNAL)
        self.weights[name] = _tensor(name, kind, shape, body)
        return name

    def input(self, name: str, kind: ElementType, dimensions: Sequence[int | str]) -> None:
        """Declare an input; a dimension is a number or a name."""
        self.ports.append(Port(name, kind, tuple(dimensions), is_output=False))

    def output(self, name: str, kind: ElementType, dimensions: Sequence[int | str]) -> None:
        """Declare an output."""
        self.ports.append(Port(name, kind, tuple(dimensions), is_output=True))

    def serialize(self) -> bytes:
        """Return the ONNX file."""
        nodes = [_node(each, number) for number, each in enumerate(self.nodes)]
        weights = [protobuf.message(5, weight) for weight in self.weights.values()]
        graph = [*nodes, protobuf.text(2, "decoder"), *weights, *map(_port, self.ports)]
        return b"".join(
            [
                protobuf.integer(1, _IR_VERSION),
                protobuf.text(2, "snug"),
                protobuf.message(7, *graph),
                protobuf.message(8, protobuf.text(1, ""), protobuf.integer(2, _OPSET)),
                protobuf.message(8, protobuf.text(1, MICROSOFT), protobuf.integer(2, 1)),
            ]
        )


def _node(node: Node, number: int) -> bytes:
    parts = [protobuf.text(1, name) for name in node.inputs]
    parts += [protobuf.text(2, name) for name in node.outputs]
    parts += [protobuf.text(3, f"{node.operator}_{number}"), protobuf.text(4, node.operator)]
    parts += [_attribute(name, value) for name, value in node.attributes.items()]
    if node.domain:
        parts.append(protobuf.text(7, node.domain))
    return protobuf.message(1, *parts)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, str):
        body = protobuf.text(4, value) + protobuf.integer(20, _ATTRIBUTE_STRING)
    elif isinstance(value, int):
        body = protobuf.integer(3, value) + protobuf.integer(20, _ATTRIBUTE_INT)
    else:
        body = protobuf.real(2, value) + protobuf.integer(20, _ATTRIBUTE_FLOAT)
    return protobuf.message(5, protobuf.text(1, name), body)


def _tensor(name: str, kind: ElementType, shape: Sequence[int], body: bytes) -> bytes:
    dimensions = b"".join(protobuf.integer(1, size) for size in shape)
    return dimensions + protobuf.integer(2, kind) + protobuf.text(8, name) + body


def _port(port: Port) -> bytes:
    sizes = [
        protobuf.message(
            1, protobuf.integer(1, size) if isinstance(size, int) else protobuf.text(2, size)
        )
        for size in port.dimensions
    ]
    tensor = protobuf.integer(1, port.kind) + protobuf.message(2, *sizes)
    kind = protobuf.message(2, protobuf.message(1, tensor))
    return protobuf.message(
        _OUTPUT if port.is_output else _INPUT, protobuf.text(1, port.name), kind
    )
