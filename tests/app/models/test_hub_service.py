"""Models of a hub, from the question to the installed model, over a hub on this machine."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.children import Verb
from app.cli import parser
from app.errors import VariantUnknown
from app.models.add_job import AddView
from app.models.service import ModelService
from app.models.sources import HubSource
from app.paths import DATA_DIR_VARIABLE, Paths
from app.settings import Settings
from inference import manifest
from inference.child import Child
from tests import fake_hub
from tests.fake_hub import REPOSITORY, FakeHub, Fault
from tests.tiny_gguf import write_tiny_gguf

ANSWER_S = 60
CPU, GPU = "cpu_and_mobile/cpu-int4", "cuda/cuda-int4"


@pytest.fixture
def files(tiny_model: Path, tmp_path: Path) -> dict[str, bytes]:
    """A repository with a real folder for the processor and for a GPU, and a real GGUF file."""
    write_tiny_gguf(tmp_path / "tiny.gguf", seed=3)
    folder = {
        path.name: path.read_bytes()
        for path in tiny_model.iterdir()
        if path.name not in (manifest.FILE_NAME, manifest.STAMP_NAME)
    }
    return {
        "README.md": b"# Tiny",
        "tiny-Q4_0.gguf": (tmp_path / "tiny.gguf").read_bytes(),
        **{f"{CPU}/{name}": content for name, content in folder.items()},
        **{f"{GPU}/{name}": content for name, content in folder.items()},
    }


@pytest.fixture
def hub(files: dict[str, bytes]) -> Iterator[FakeHub]:
    with fake_hub.serve(files) as serving:
        yield serving


@pytest.fixture
def paths(tmp_path: Path, hub: FakeHub) -> Paths:
    """A data folder that is set to this hub alone."""
    places = Paths(tmp_path / "data")
    places.data.mkdir()
    replace(Settings(), hub_endpoint=hub.url).save(places.settings)
    return places


@pytest.fixture
def service(paths: Paths, launch: Callable[[Verb], Child]) -> Iterator[ModelService]:
    made = ModelService(paths, lambda: launch("import"), launch_download=lambda: launch("download"))
    yield made
    made.close()


def add(service: ModelService, source: HubSource) -> AddView:
    return service.add(source).wait(ANSWER_S)


def _done_bytes(view: AddView, path: str) -> int:
    return next((file.done_bytes for file in view.files if file.path == path), 0)


def test_the_folder_for_this_machine_is_fetched_and_nothing_else(
    service: ModelService, hub: FakeHub, paths: Paths, files: dict[str, bytes]
) -> None:
    view = add(service, HubSource(REPOSITORY))
    assert (view.stage, view.model_id) == ("done", "tiny")
    (model,) = service.installed()
    assert model.licence
    kept = manifest.read(model.folder)
    assert kept.origin == f"hub:{REPOSITORY}@{fake_hub.COMMIT}/{CPU}"
    fetched = {name: digest.sha256 for name, digest in kept.files.items()}
    wanted = {path.removeprefix(f"{CPU}/") for path in files if path.startswith(f"{CPU}/")}
    assert set(fetched) == wanted
    assert not [one for one in hub.asked if "cuda" in one.path or "gguf" in one.path]
    assert not (paths.downloads / "tiny").exists()
    manifest.verify(model.folder)


def test_what_is_here_already_is_not_fetched_again(service: ModelService, hub: FakeHub) -> None:
    assert add(service, HubSource(REPOSITORY)).stage == "done"
    sent_bytes = hub.sent_bytes
    assert add(service, HubSource(REPOSITORY)).model_id == "tiny"
    assert hub.sent_bytes == sent_bytes
    assert len(service.installed()) == 1


def test_a_gguf_file_of_a_hub_is_converted(service: ModelService) -> None:
    view = add(service, HubSource(REPOSITORY, variant="tiny-Q4_0.gguf"))
    assert view.stage == "done"
    (model,) = service.installed()
    assert (model.architecture, model.quantization) == ("llama", "Q4_0")


def test_a_variant_that_is_not_there_is_named_with_those_that_are(service: ModelService) -> None:
    view = add(service, HubSource(REPOSITORY, variant="npu"))
    assert isinstance(view.error, VariantUnknown)
    assert CPU in str(view.error.facts["variants"])


def test_a_paused_download_goes_on_in_the_next_program_without_what_it_has(
    service: ModelService, hub: FakeHub, paths: Paths, launch: Callable[[Verb], Child]
) -> None:
    data = f"{CPU}/model.onnx.data"
    data_bytes = len(hub.files[data])
    hub.bytes_per_s = data_bytes // 8
    job = service.add(HubSource(REPOSITORY))
    waited = threading.Event()
    while _done_bytes(job.view(), data) < data_bytes // 4:
        assert not job.view().is_last
        waited.wait(0.02)
    job.pause()
    assert job.wait(ANSWER_S).stage == "paused"
    (kept,) = service.unfinished()
    assert (kept.id, kept.is_running) == ("tiny", False)
    assert 0 < kept.done_bytes < kept.total_bytes
    service.close()
    hub.bytes_per_s = 0

    later = ModelService(
        paths, lambda: launch("import"), launch_download=lambda: launch("download")
    )
    assert later.resume("tiny").wait(ANSWER_S).stage == "done"
    later.close()
    asked = [
        one.headers["range"] for one in hub.asked if data in one.path and "range" in one.headers
    ]
    begins = {int(text.removeprefix("bytes=").split("-")[0]) for text in asked}
    assert begins
    assert min(begins) >= data_bytes // 4
    assert later.unfinished() == ()


def test_a_cancelled_download_leaves_nothing(
    service: ModelService, hub: FakeHub, paths: Paths
) -> None:
    hub.faults[f"{CPU}/model.onnx.data"] = [Fault(ends="stall", after_bytes=10)]
    job = service.add(HubSource(REPOSITORY))
    waited = threading.Event()
    while not job.view().files:
        waited.wait(0.02)
    job.cancel()
    assert job.wait(ANSWER_S).stage == "cancelled"
    assert service.unfinished() == ()
    assert not (paths.downloads / "tiny").exists()


def test_a_hostile_folder_of_a_hub_is_not_installed(
    service: ModelService, hub: FakeHub, paths: Paths
) -> None:
    name = f"{CPU}/genai_config.json"
    config = json.loads(hub.files[name])
    config["model"]["decoder"]["filename"] = "../../../other/model.onnx"
    hub.files[name] = json.dumps(config).encode()
    view = add(service, HubSource(REPOSITORY))
    assert view.stage == "failed"
    assert service.installed() == ()
    assert not list(paths.models.glob("*"))


def test_looking_up_says_what_there_is_and_fetches_nothing(
    service: ModelService, hub: FakeHub
) -> None:
    model = service.look_up(REPOSITORY).result(ANSWER_S)
    assert model.commit == fake_hub.COMMIT
    assert hub.sent_bytes == 0


def test_the_command_line_adds_a_repository_and_names_its_variants(
    paths: Paths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DATA_DIR_VARIABLE, str(paths.data))
    assert parser.run(["models", "add", REPOSITORY, "--variant", "npu", "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["code"] == "variant_unknown"
    assert GPU in error["action"]
    assert parser.run(["models", "add", REPOSITORY, "--variant", GPU, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "tiny"
