from pathlib import Path

import numpy as np
import onnx
import pytest

from inference.gguf import protobuf
from inference.gguf.families.registry import ARCHITECTURES
from inference.gguf.graph import ElementType, Graph
from inference.gguf.importer import import_gguf
from tests.tiny_gguf import write_tiny_gguf


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("level", [1, 4])
def test_the_onnx_package_finds_nothing_wrong(
    tmp_path: Path, architecture: str, level: int
) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", architecture=architecture, tied=False)

    import_gguf(path, tmp_path / "model", accuracy_level=level)

    model = onnx.load(tmp_path / "model" / "model.onnx", load_external_data=False)
    for node in model.graph.node:
        # The runtime has this operator in ONNX's own domain, where the package does not know it.
        if node.op_type == "SimplifiedLayerNormalization":
            node.domain = "com.microsoft"
    checked = tmp_path / "model" / "checked.onnx"
    checked.write_bytes(model.SerializeToString())
    onnx.checker.check_model(checked, full_check=True)


def test_weights_lie_inside_the_data_file_and_on_pages(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    import_gguf(path, tmp_path / "model")

    model = onnx.load(tmp_path / "model" / "model.onnx", load_external_data=False)

    places = [
        {entry.key: entry.value for entry in tensor.external_data}
        for tensor in model.graph.initializer
        if tensor.external_data
    ]
    size = (tmp_path / "model" / "model.onnx.data").stat().st_size
    assert places
    assert all(int(place["offset"]) % 4096 == 0 for place in places)
    assert all(int(place["offset"]) + int(place["length"]) <= size for place in places)


def test_attributes_and_constants_read_back_as_they_were_given() -> None:
    graph = Graph()
    graph.input("x", ElementType.FLOAT32, ["batch", 3])
    graph.constant("c", np.array([[1, -2], [3, 2**40]]))
    graph.node("Op", ["x", ""], ["y"], domain="com.microsoft", whole=-7, real=0.5)

    model = onnx.load_from_string(graph.serialize())

    (node,) = model.graph.node
    assert (node.op_type, node.domain, list(node.input)) == ("Op", "com.microsoft", ["x", ""])
    assert {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute} == {
        "whole": -7,
        "real": 0.5,
    }
    constant = onnx.numpy_helper.to_array(model.graph.initializer[0])
    assert constant.tolist() == [[1, -2], [3, 2**40]]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (-1, "ff" * 9 + "01")],
)
def test_varints_are_protobufs(number: int, expected: str) -> None:
    assert protobuf.varint(number).hex() == expected
