"""Devices and threads."""

import subprocess
import sys

import psutil
import pytest

from inference import devices, memory, threads
from inference.devices import CPU_PROVIDER
from inference.processor import processor_name
from inference.types import DeviceWish


def test_the_processor_has_its_makers_name() -> None:
    assert processor_name().strip()


@pytest.mark.skipif(sys.platform == "win32", reason="DirectML may be there")
@pytest.mark.parametrize("wish", ["auto", "cpu", "gpu", "npu"])
def test_the_processor_is_chosen_and_only_an_unmet_wish_has_a_reason(
    wish: DeviceWish,
) -> None:
    choice = devices.choose(wish)

    assert (choice.kind, choice.provider) == ("cpu", CPU_PROVIDER)
    assert bool(choice.reason) == (wish in ("gpu", "npu"))


@pytest.mark.engine
def test_the_runtime_lists_the_processor() -> None:
    probe = (
        "from inference import devices\n"
        "found = devices.discover()\n"
        "assert any(each.target.kind == 'cpu' and each.target.name for each in found), found\n"
    )
    subprocess.run([sys.executable, "-I", "-c", probe], check=True, timeout=60)


@pytest.mark.parametrize(
    ("cores", "load", "expected"),
    [(1, 0.0, 1), (2, 0.5, 2), (2, 5.0, 1), (4, 0.0, 3), (8, 9.0, 7)],
)
def test_threads_leave_a_core_free_where_there_are_enough(
    monkeypatch: pytest.MonkeyPatch, cores: int, load: float, expected: int
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: cores)
    monkeypatch.setattr("os.getloadavg", lambda: (load, load, load), raising=False)

    assert threads.model_threads() == expected


def test_memory_is_counted_in_bytes() -> None:
    assert memory.peak_bytes() >= psutil.Process().memory_info().rss * 0.5
    assert 512 << 20 <= memory.kv_budget_bytes() <= 4 << 30
