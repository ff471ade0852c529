"""A damaged byte anywhere in an installed model is found, by `verify` and when it is loaded."""

import os
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.messages import describe
from app.models.installed import InstalledModels
from inference import manifest, model
from inference.errors import InferenceError, ModelDamaged, ModelMissing
from inference.types import LoadModel


@pytest.fixture
def installed(tmp_path: Path, tiny_model: Path) -> InstalledModels:
    shutil.copytree(tiny_model, tmp_path / "models" / "tiny")
    return InstalledModels(tmp_path / "models")


def damage(path: Path, at: int, change: int) -> None:
    """Change one byte and set the time of the file back."""
    state = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ change]))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def load(folder: Path) -> None:
    """Load a model as the host does, up to the point where a first token could leave it."""
    loaded, _ = model.load(LoadModel(request_id=1, folder=str(folder), device="cpu"))
    try:
        assert loaded.verifier is not None
        loaded.verifier.wait()
    finally:
        loaded.close()


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_changed_byte_is_found_by_verify_wherever_it_is(
    installed: InstalledModels, data: st.DataObject
) -> None:
    folder = installed.folder / "tiny"
    files = sorted(path for path in folder.iterdir() if path.name != manifest.STAMP_NAME)
    path = data.draw(st.sampled_from(files))
    at = data.draw(st.integers(0, path.stat().st_size - 1))
    change = data.draw(st.integers(1, 255))
    damage(path, at, change)
    try:
        with pytest.raises(ModelDamaged) as caught:
            installed.verify("tiny")
    finally:
        damage(path, at, change)

    assert caught.value.facts["file"] == path.name
    assert path.name in describe(caught.value).message
    installed.verify("tiny")


@pytest.mark.engine
@pytest.mark.parametrize(
    "name",
    [
        "manifest.json",
        "genai_config.json",
        "model.onnx",
        "model.onnx.data",
        "model.int8kv.onnx",
        "tokenizer.json",
        "tokenizer_config.json",
        "chat_template.jinja",
    ],
)
def test_a_changed_byte_ends_a_load_with_a_typed_error(
    name: str, installed: InstalledModels
) -> None:
    folder = installed.folder / "tiny"
    load(folder)
    places = random.Random(name)  # noqa: S311 - the same places each time
    for _ in range(3):
        at, change = places.randrange((folder / name).stat().st_size), places.randrange(1, 256)
        damage(folder / name, at, change)
        with pytest.raises(InferenceError) as caught:
            load(folder)
        damage(folder / name, at, change)

        assert isinstance(caught.value, ModelDamaged | ModelMissing)
    load(folder)


@pytest.mark.engine
@pytest.mark.parametrize("name", ["generation_config.json", "special.onnx", "libevil.so"])
def test_a_planted_file_ends_a_load_by_name(name: str, installed: InstalledModels) -> None:
    folder = installed.folder / "tiny"
    (folder / name).write_text("{}")
    with pytest.raises(ModelDamaged) as caught:
        load(folder)
    assert name in describe(caught.value).message
