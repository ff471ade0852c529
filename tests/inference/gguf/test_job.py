import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.children import Verb
from inference import manifest
from inference.child import Child
from inference.errors import Cancelled, ModelMissing, ModelUnsupported, WorkerDied
from inference.gguf import frames, job
from inference.gguf.frames import ImportModel, ImportProgress, ImportReport
from inference.gguf.run import run_import
from tests.tiny_gguf import Shape, write_tiny_gguf

Launch = Callable[[Verb], Child]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf", shape=Shape(layers=1))


def importing(launch: Launch) -> Callable[[], Child]:
    return lambda: launch("import")


def test_a_child_imports_and_reports(launch: Launch, source: Path) -> None:
    folder = source.with_name("model")
    seen: list[tuple[int, int]] = []

    report = run_import(
        importing(launch),
        source,
        folder,
        context_tokens=128,
        on_progress=lambda *each: seen.append(each),
    )

    assert report.folder == str(folder)
    assert report.context_tokens == 128
    assert seen[-1][0] == seen[-1][1]
    manifest.verify(folder)


def test_what_the_import_refuses_is_raised_on_this_side(launch: Launch, tmp_path: Path) -> None:
    metadata = {"general.architecture": "mamba"}
    source = write_tiny_gguf(tmp_path / "tiny.gguf", metadata=metadata)

    with pytest.raises(ModelUnsupported, match="mamba"):
        run_import(importing(launch), source, tmp_path / "model")
    with pytest.raises(ModelMissing):
        run_import(importing(launch), tmp_path / "nothing.gguf", tmp_path / "model")


def test_a_cancelled_import_ends_its_child_and_installs_nothing(
    launch: Launch, source: Path
) -> None:
    cancelled = threading.Event()
    children: list[Child] = []

    def start() -> Child:
        children.append(launch("import"))
        return children[-1]

    with pytest.raises(Cancelled):
        run_import(
            start,
            source,
            source.with_name("model"),
            on_progress=lambda _done, _total: cancelled.set(),
            cancelled=cancelled,
        )

    assert children[0].exit_code() is not None


def test_a_child_whose_parent_goes_away_ends_by_itself(launch: Launch, source: Path) -> None:
    child = launch("import")
    command = ImportModel(str(source), str(source.with_name("model")))
    child.connection.send_bytes(frames.COMMANDS.encode(command))
    assert isinstance(frames.EVENTS.decode(child.connection.recv_bytes()), ImportProgress)

    child.close()

    assert child.exit_code() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file to wait for")
def test_a_child_that_waits_for_its_disk_still_notices(launch: Launch, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never.gguf")
    child = launch("import")
    command = ImportModel(str(tmp_path / "never.gguf"), str(tmp_path / "model"))
    child.connection.send_bytes(frames.COMMANDS.encode(command))

    child.connection.close()

    assert psutil.Process(child.pid).wait(60) == job.GIVEN_UP


def test_a_child_that_is_killed_is_a_dead_worker(launch: Launch, source: Path) -> None:
    def start_and_kill() -> Child:
        child = launch("import")
        child.kill()
        return child

    with pytest.raises(WorkerDied):
        run_import(start_and_kill, source, source.with_name("model"))


def test_a_report_crosses_the_pipe_unchanged() -> None:
    report = ImportReport("/folder", 1, "Name", "llama", 2, "Q4_1", 3, "ab", "apache-2.0")

    assert frames.EVENTS.decode(frames.EVENTS.encode(frames.Imported(report))).report == report
