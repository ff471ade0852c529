"""The verdict is said before anything is fetched, with the numbers it rests on."""

from pathlib import Path

import pytest

from app.models import measured
from app.models.bandwidth import Bandwidth
from app.models.catalog import entries
from app.models.device_trust import DeviceTrust, Entry
from app.models.fit import Fit, Machine, Needs, Speed, judge, judge_hub, judge_needs, look
from app.models.hub_catalog import hub_entries

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


def test_the_expected_speed_holds_what_was_measured_beside_that_bandwidth() -> None:
    """Two threads that read 28.5 GB/s wrote 18 tokens/s with standard and 117 with starter."""
    machine = Machine(16 * GB, 8 * GB, 100 * GB, bandwidth_bytes_per_s=28.5e9)
    for entry, measured_tokens_per_s in ((STANDARD, 18.0), (STARTER, 117.0)):
        speed = judge(entry, machine).speed
        assert speed is not None
        assert speed.least * 0.85 < measured_tokens_per_s < speed.most * 1.15
        assert not speed.is_measured
        assert speed.most < 1.8 * speed.least


def test_twice_the_bandwidth_writes_a_large_model_twice_as_fast() -> None:
    entry = max(hub_entries(), key=lambda one: one.parameters)
    slow, fast = (
        judge_hub(entry, Machine(64 * GB, 64 * GB, 100 * GB, bandwidth)).tokens_per_s
        for bandwidth in (25e9, 50e9)
    )
    assert slow is not None
    assert fast is not None
    assert fast / slow == pytest.approx(2, rel=0.02)


def test_no_speed_is_said_of_a_model_that_would_swap_or_of_an_unmeasured_machine() -> None:
    assert judge(STANDARD, Machine(2 * GB, 2 * GB, 100 * GB, 30e9)).speed is None
    unmeasured = judge(STANDARD, Machine(16 * GB, 8 * GB, 100 * GB))
    assert (unmeasured.speed, unmeasured.tokens_per_s) == (None, None)


def test_a_measured_speed_takes_the_place_of_the_expected_one(tmp_path: Path) -> None:
    trust = DeviceTrust(tmp_path / "devices.json")
    cpu = Entry("CPUExecutionProvider", "", "", "cpu", STANDARD.id, tokens_per_s=17.0)
    trust.note(cpu)
    trust.note(Entry("WebGpuExecutionProvider", "", "", "gpu", STANDARD.id, "wrong", 90.0))
    trust.note(Entry("CPUExecutionProvider", "", "", "cpu", STARTER.id, tokens_per_s=120.0))
    found = measured.tokens_per_s(tmp_path / "devices.json", STANDARD.id)
    fit = judge(STANDARD, Machine(16 * GB, 8 * GB, 100 * GB, 30e9), found)
    assert fit.speed == Speed(17.0, 17.0, is_measured=True)
    assert fit.tokens_per_s == 17.0
    assert measured.tokens_per_s(tmp_path / "devices.json", "other") == 0


def test_a_longer_context_can_make_a_model_of_a_hub_too_big() -> None:
    entry = next(one for one in hub_entries() if one.id == "phi-3-mini-128k")
    machine = Machine(16 * GB, 14 * GB, 100 * GB)
    assert judge_hub(entry, machine, 4096).verdict == "fits"
    long = judge_hub(entry, machine, 65_536)
    assert (long.verdict, long.limit) == ("too_big", "memory")


def test_a_model_that_nobody_described_is_reckoned_with_a_cache_all_the_same() -> None:
    needs = Needs(weights_bytes=5 * GB, disk_bytes=10 * GB)
    with_cache = judge_needs(needs, Machine(16 * GB, 14 * GB, 100 * GB, 30e9))
    weights_alone = 1.25 * 5 * GB + 0.3 * GB
    assert weights_alone + 0.5 * GB < with_cache.memory_needed_bytes < weights_alone + 2 * GB
    assert with_cache.tokens_per_s is not None


def test_the_machine_that_is_looked_at_knows_its_bandwidth(tmp_path: Path) -> None:
    bandwidth = Bandwidth(tmp_path / "bandwidth.json")
    machine = look(tmp_path, bandwidth)
    assert machine.bandwidth_bytes_per_s == pytest.approx(bandwidth.kept_bytes_per_s(), rel=1e-6)
    assert machine.bandwidth_bytes_per_s > 0
