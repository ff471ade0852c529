"""The memory's bandwidth is measured once and kept for this machine."""

import json
from pathlib import Path

import pytest

from app.models.bandwidth import Bandwidth


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
