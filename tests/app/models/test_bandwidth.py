"""The memory's bandwidth is measured once and kept for this machine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.children import Verb
from app.models.bandwidth import Bandwidth
from inference.child import Child


def test_what_was_measured_is_kept_and_not_measured_again(tmp_path: Path) -> None:
    bandwidth = Bandwidth(tmp_path / "data" / "bandwidth.json")
    assert bandwidth.kept_bytes_per_s() == 0
    measured = bandwidth.bytes_per_s()
    assert 1e8 < measured < 1e13
    again = Bandwidth(tmp_path / "data" / "bandwidth.json")
    assert again.kept_bytes_per_s() == pytest.approx(measured, rel=1e-6)
    assert again.bytes_per_s() == again.kept_bytes_per_s()


def test_a_busy_moment_does_not_replace_a_larger_number(tmp_path: Path) -> None:
    file = tmp_path / "bandwidth.json"
    bandwidth = Bandwidth(file)
    bandwidth.measure_bytes_per_s()
    body = json.loads(file.read_bytes()) | {"bytes_per_s": 1e14}
    file.write_text(json.dumps(body))
    assert bandwidth.measure_bytes_per_s() == 1e14
    assert bandwidth.kept_bytes_per_s() == 1e14


def test_the_number_of_another_machine_counts_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bandwidth.json"
    Bandwidth(file).measure_bytes_per_s()
    body = json.loads(file.read_bytes()) | {"machine": "a faster one"}
    file.write_text(json.dumps(body))
    assert Bandwidth(file).kept_bytes_per_s() == 0


@pytest.mark.parametrize(
    "change",
    [{"format": 2}, {"bytes_per_s": "30"}, {"bytes_per_s": True}, {"bytes_per_s": -1}],
)
def test_a_note_that_says_no_number_counts_for_nothing(
    tmp_path: Path, change: dict[str, object]
) -> None:
    file = tmp_path / "bandwidth.json"
    Bandwidth(file).measure_bytes_per_s()
    file.write_text(json.dumps(json.loads(file.read_bytes()) | change))
    assert Bandwidth(file).kept_bytes_per_s() == 0


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_a_note_that_cannot_be_read_counts_for_nothing(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bandwidth.json"
    file.write_text(content)
    assert Bandwidth(file).kept_bytes_per_s() == 0


def test_a_child_measures_for_a_window(tmp_path: Path, launch: Callable[[Verb], Child]) -> None:
    bandwidth = Bandwidth(tmp_path / "bandwidth.json", lambda: launch("bandwidth"))
    measured = bandwidth.bytes_per_s()
    assert 1e8 < measured < 1e13
    assert bandwidth.kept_bytes_per_s() == pytest.approx(measured, rel=1e-6)


def test_a_child_that_says_nothing_leaves_no_number(
    tmp_path: Path, launch: Callable[[Verb], Child]
) -> None:
    file = tmp_path / "bandwidth.json"

    def dying() -> Child:
        child = launch("bandwidth")
        child.kill()
        return child

    assert Bandwidth(file, dying).bytes_per_s() == 0
    assert not file.exists()

    def refused() -> Child:
        raise OSError

    assert Bandwidth(file, refused).bytes_per_s() == 0
