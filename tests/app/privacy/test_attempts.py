"""The network log's file."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.privacy.attempts import AttemptLog, read_attempts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "network.log"


@pytest.fixture
def small(path: Path) -> Iterator[AttemptLog]:
    with closing(AttemptLog(path, process="test", max_bytes=1_000)) as log:
        yield log


def test_the_log_stays_within_two_pages_and_keeps_the_latest(path: Path, small: AttemptLog) -> None:
    for number in range(200):
        small.append("look-up", f"host-{number}.example", False)
    pages = sorted(page.name for page in path.parent.iterdir())
    assert pages == ["network.log", "network.log.1"]
    assert all(page.stat().st_size < 1_200 for page in path.parent.iterdir())
    numbers = [int(each.target.split("-")[1].split(".")[0]) for each in read_attempts(path)]
    assert numbers == list(range(numbers[0], 200))


def test_two_processes_can_turn_the_page(path: Path, small: AttemptLog) -> None:
    with closing(AttemptLog(path, process="other", max_bytes=1_000)) as other:
        for number in range(60):
            (small if number % 2 else other).append("look-up", str(number), False)
    newest = read_attempts(path)[-1]
    assert (newest.process, newest.target) == ("test", "59")


def test_a_line_that_a_full_disk_cut_short_is_passed_over(path: Path, small: AttemptLog) -> None:
    small.append("look-up", "a.example", False)
    with path.open("a") as stream:
        stream.write('{"time_s": 1.0, "proc\n[]\n{"time_s": null}\n')
    small.append("look-up", "b.example", True)
    assert [(each.target, each.allowed) for each in read_attempts(path)] == [
        ("a.example", False),
        ("b.example", True),
    ]


def test_a_name_cannot_forge_a_line(path: Path, small: AttemptLog) -> None:
    small.append("look-up", 'a"\n{"time_s": 1, "process": "\u2028', False)
    assert len(path.read_text().splitlines()) == 1
    assert len(read_attempts(path)) == 1


def test_no_log_is_an_empty_one(path: Path) -> None:
    assert read_attempts(path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_full_disk_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "network.log").symlink_to("/dev/full")
    with closing(AttemptLog(tmp_path / "network.log", process="test")) as log:
        log.append("look-up", "a.example", False)
    assert (tmp_path / "network.log").is_symlink()
