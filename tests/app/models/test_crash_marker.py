"""A load that never ended is remembered; one that is under way elsewhere is not mistaken for it."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from app.models.crash_marker import CrashMarker


@pytest.fixture
def marker(tmp_path: Path) -> CrashMarker:
    return CrashMarker(tmp_path / "models")


def test_a_load_that_ended_leaves_no_mark(marker: CrashMarker, tmp_path: Path) -> None:
    marker.begin("tiny")
    marker.end("tiny")
    assert not marker.blocks("tiny")
    assert not list((tmp_path / "models" / ".loading").iterdir())


def test_a_load_under_way_in_a_living_program_is_no_crash(marker: CrashMarker) -> None:
    marker.begin("tiny")
    assert not marker.blocks("tiny")


def test_a_crash_blocks_this_model_alone_until_it_is_forgiven(marker: CrashMarker) -> None:
    marker.begin("tiny")
    marker.crashed("tiny")
    assert marker.blocks("tiny")
    assert not marker.blocks("tin")
    assert not marker.blocks("other")
    marker.forgive("tiny")
    assert not marker.blocks("tiny")


def be_killed_while_loading(models: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from app.models.crash_marker import CrashMarker;"
        "CrashMarker(Path(sys.argv[1])).begin('qwen2.5'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(models)], check=False)


def change_mark(models: Path, **values: object) -> None:
    (mark,) = (models / ".loading").iterdir()
    mark.write_text(json.dumps(json.loads(mark.read_text()) | values))


def test_a_program_that_was_killed_while_it_loaded_may_load_again(
    marker: CrashMarker, tmp_path: Path
) -> None:
    be_killed_while_loading(tmp_path / "models")
    assert not marker.blocks("qwen2.5")
    marker.begin("qwen2.5")
    marker.end("qwen2.5")
    assert not list((tmp_path / "models" / ".loading").iterdir())
    be_killed_while_loading(tmp_path / "models")
    assert not marker.blocks("qwen2.5")


def test_two_programs_in_a_row_that_ended_while_they_loaded_are_a_crash(
    marker: CrashMarker, tmp_path: Path
) -> None:
    be_killed_while_loading(tmp_path / "models")
    be_killed_while_loading(tmp_path / "models")
    assert marker.blocks("qwen2.5")
    marker.forgive("qwen2.5")
    assert not marker.blocks("qwen2.5")


def test_a_machine_that_ended_while_a_model_loaded_is_a_crash(
    marker: CrashMarker, tmp_path: Path
) -> None:
    be_killed_while_loading(tmp_path / "models")
    change_mark(tmp_path / "models", booted_s=psutil.boot_time() - 3600.0)
    assert marker.blocks("qwen2.5")


def test_another_process_with_the_number_of_the_dead_one_is_not_it(
    marker: CrashMarker, tmp_path: Path
) -> None:
    marker.begin("tiny")
    change_mark(tmp_path / "models", started_s=1.0, interrupted=1)
    assert marker.blocks("tiny")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', '{"pid": -5}'])
def test_a_mark_that_was_cut_short_counts_as_a_crash(
    content: str, marker: CrashMarker, tmp_path: Path
) -> None:
    marker.begin("tiny")
    (mark,) = (tmp_path / "models" / ".loading").iterdir()
    mark.write_text(content)
    assert marker.blocks("tiny")


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    marker = CrashMarker(tmp_path / "models")
    marker.begin("tiny")
    marker.crashed("tiny")
    assert not marker.blocks("tiny")
