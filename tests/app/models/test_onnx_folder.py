"""A model folder is configuration that native code obeys: it is looked at before it is copied."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.children import command
from app.models import onnx_folder
from app.models.add_job import AddView
from app.models.service import ModelService
from app.paths import Paths
from inference import child
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported

ANSWER_S = 60


@pytest.fixture
def folder(tmp_path: Path, tiny_model: Path) -> Path:
    """A good folder without a manifest, as other programs make them."""
    copied = tmp_path / "My Model"
    shutil.copytree(tiny_model, copied, ignore=shutil.ignore_patterns("manifest.json"))
    return copied


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ModelService]:
    made = ModelService(Paths(tmp_path / "data"), lambda: child.start(command("import")))
    yield made
    made.close()


def add(service: ModelService, folder: Path) -> AddView:
    return service.add([folder]).wait(ANSWER_S)


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / onnx_folder.CONFIG_NAME
    config = json.loads(path.read_text())
    for name, value in changes.items():
        config["model"]["decoder"][name] = value
    path.write_text(json.dumps(config))


def test_a_good_folder_is_copied_and_listed(service: ModelService, folder: Path) -> None:
    (folder / ".cache").mkdir()
    (folder / ".cache" / "hidden").write_text("left where it is")
    view = add(service, folder)
    assert view.error is None
    (model,) = service.installed()
    assert (model.id, model.title, model.architecture) == ("my-model", "My Model", "llama")
    assert len(model.sha256) == 64
    assert model.context_tokens > 0
    service.verify("my-model").result(ANSWER_S)
    assert (folder / "model.onnx.data").exists()
    assert not (model.folder / ".cache").exists()


def test_the_same_name_twice_gets_a_number(service: ModelService, folder: Path) -> None:
    assert [add(service, folder).model_id for _ in range(2)] == ["my-model", "my-model-2"]


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("filename", "../../elsewhere/model.onnx", "a file outside its folder"),
        ("filename", "/etc/passwd", "a file outside its folder"),
        ("filename", "C:\\model.onnx", "a file outside its folder"),
        ("session_options", {"custom_ops_library": "anything"}, "a library of its own"),
        (
            "session_options",
            {"provider_options": [{"QNN": {"backend_path": "evil.dll"}}]},
            "a library of its own",
        ),
        ("session_options", {"x": ["libevil.so.1.2"]}, "a library of its own"),
    ],
)
def test_a_configuration_that_leads_out_is_refused_by_name(
    name: str, value: object, what: str, service: ModelService, folder: Path
) -> None:
    change_config(folder, **{name: value})
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert str(view.error.facts["what"]).startswith(what)
    assert service.installed() == ()


@pytest.mark.parametrize("name", ["ops.so", "ops.so.1", "ops.DLL", "weights.pkl", "model.py"])
def test_code_in_the_folder_is_refused_by_name(
    name: str, service: ModelService, folder: Path
) -> None:
    (folder / name).write_bytes(b"code")
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert name in str(view.error.facts["what"])


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_copied(
    service: ModelService, folder: Path, tmp_path: Path
) -> None:
    inside = folder / "also-data.bin"
    inside.symlink_to(folder / "model.onnx.data")
    assert add(service, folder).stage == "done"
    assert not (service.installed()[0].folder / "also-data.bin").is_symlink()
    secret = tmp_path / "secret.txt"
    secret.write_text("not yours")
    (folder / "notes.txt").symlink_to(secret)
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert "notes.txt" in str(view.error.facts["what"])


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("tokenizer.json", ModelMissing),
        ("model.onnx", ModelMissing),
    ],
)
def test_a_missing_file_is_said_so(
    name: str, error: type[Exception], service: ModelService, folder: Path
) -> None:
    (folder / name).unlink()
    assert isinstance(add(service, folder).error, error)


@pytest.mark.parametrize("config", ["", "{", "[]", '{"model": 1}', "[" * 200_000])
def test_a_configuration_that_cannot_be_read_is_damaged(
    config: str, service: ModelService, folder: Path
) -> None:
    (folder / onnx_folder.CONFIG_NAME).write_text(config)
    view = add(service, folder)
    assert isinstance(view.error, ModelDamaged)
    assert view.error.facts["file"] == onnx_folder.CONFIG_NAME


def test_a_configuration_of_many_megabytes_is_not_read(folder: Path) -> None:
    os.truncate(folder / onnx_folder.CONFIG_NAME, 1 << 30)
    with pytest.raises(ModelDamaged):
        onnx_folder.check(folder)


def test_a_folder_of_everything_is_no_model(folder: Path) -> None:
    for number in range(300):
        (folder / f"{number}.txt").touch()
    with pytest.raises(ModelUnsupported):
        onnx_folder.check(folder)
