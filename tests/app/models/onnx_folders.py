"""Changes of a good model folder, for tests of what is refused."""

import json
from pathlib import Path
from typing import Any

from app.models import onnx_folder
from inference.gguf import protobuf


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / onnx_folder.CONFIG_NAME
    config = json.loads(path.read_text())
    for name, value in changes.items():
        config["model"]["decoder"][name] = value
    path.write_text(json.dumps(config))


def replace_graph(folder: Path, location: str, offset: str = "0") -> None:
    entries = [("location", location), ("offset", offset), ("length", "24")]
    tensor = protobuf.message(
        5,
        protobuf.integer(1, 6),
        protobuf.integer(2, 1),
        *(protobuf.message(13, protobuf.text(1, k), protobuf.text(2, v)) for k, v in entries),
    )
    (folder / "model.onnx").write_bytes(protobuf.message(7, tensor))


def nested_graph(levels: int) -> bytes:
    inner = protobuf.message(1, protobuf.text(4, "Add"))
    for _ in range(levels):
        attribute = protobuf.message(5, protobuf.message(6, inner))
        inner = protobuf.message(1, protobuf.text(4, "If"), attribute)
    return protobuf.message(7, inner)
