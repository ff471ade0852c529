"""What was found is added where it lies, and stays as it is for the program whose it is."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from app.children import command
from app.models.service import ModelService
from app.models.sources import GgufSource
from app.paths import Paths
from inference import child
from tests.app.models.found.conftest import Machine, OllamaFolder
from tests.tiny_gguf import write_tiny_gguf

ANSWER_S = 60


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ModelService]:
    made = ModelService(Paths(tmp_path / "data"), lambda: child.start(command("import")))
    yield made
    made.close()


def test_a_blob_without_an_ending_is_added_by_its_name(
    service: ModelService, machine: Machine, ollama: OllamaFolder, tmp_path: Path
) -> None:
    weights = write_tiny_gguf(tmp_path / "weights").read_bytes()
    ollama.pull("tiny-llama:135m", ("model", weights), ("license", b"MIT License\n"))
    (found,) = machine.look()
    before = {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")}

    view = service.add(GgufSource(found.file, found.name)).wait(ANSWER_S)

    assert view.error is None
    (model,) = service.installed()
    assert model.id == "tiny-llama-135m"
    assert model.sha256 == sha256(weights).hexdigest()
    assert {path: path.stat().st_mtime_ns for path in machine.home.rglob("*")} == before
    service.verify(model.id).result(ANSWER_S)
