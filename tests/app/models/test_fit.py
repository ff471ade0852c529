"""The verdict is said before anything is fetched, with the numbers it rests on."""

from pathlib import Path

import pytest

from app.models.catalog import entries
from app.models.fit import Fit, Machine, judge, look

STARTER, STANDARD = entries()
GB = 1_000_000_000


@pytest.mark.parametrize(
    ("machine", "verdict", "limit"),
    [
        (Machine(16 * GB, 8 * GB, 100 * GB), "fits", ""),
        (Machine(8 * GB, 2 * GB, 100 * GB), "tight", "memory"),
        (Machine(2 * GB, 2 * GB, 100 * GB), "too_big", "memory"),
        (Machine(16 * GB, 8 * GB, 2 * GB), "too_big", "disk"),
    ],
)
def test_the_standard_model_is_judged_by_memory_and_disk(
    machine: Machine, verdict: str, limit: str
) -> None:
    fit = judge(STANDARD, machine)
    assert (fit.verdict, fit.limit) == (verdict, limit)


def test_the_numbers_are_those_that_were_measured() -> None:
    """Resident memory of the host with the standard model loaded was 2.2 GB."""
    fit: Fit = judge(STANDARD, Machine(16 * GB, 8 * GB, 100 * GB))
    assert 2.2 * GB < fit.memory_needed_bytes < 2.6 * GB
    assert fit.disk_needed_bytes > STANDARD.file_bytes + STANDARD.disk_bytes


def test_the_starter_fits_a_small_machine() -> None:
    assert judge(STARTER, Machine(2 * GB, 1 * GB, 1 * GB)).verdict == "fits"


def test_this_machine_is_looked_at_though_the_folder_is_not_there_yet(tmp_path: Path) -> None:
    machine = look(tmp_path / "not" / "there")
    assert 0 < machine.memory_free_bytes <= machine.memory_total_bytes
    assert machine.disk_free_bytes > 0
