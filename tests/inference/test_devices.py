"""Devices and threads."""

import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from inference import devices, memory, threads
from inference.devices import CPU_PROVIDER
from inference.plugins import Plugin
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


class Listed:
    """A device as the runtime lists it, for hardware that is not here."""

    def __init__(self, provider: str, kind: str, ids: tuple[int, int], **facts: str) -> None:
        self.ep_name, self.ep_vendor = provider, "Microsoft"
        self.ep_metadata: dict[str, str] = {}
        vendor_id, device_id = ids
        self.device = SimpleNamespace(
            type=f"OrtHardwareDeviceType.{kind}",
            vendor="AMD",
            vendor_id=vendor_id,
            device_id=device_id,
            metadata=facts,
        )


def test_a_card_of_windows_is_described_by_windows() -> None:
    card = Listed(
        devices.DIRECTML_PROVIDER,
        "GPU",
        (0x1002, 0x744C),
        Description="AMD Radeon RX 7900 XTX",
        DxgiVideoMemory="24560 MB",
    )

    found = devices._found(card)

    assert found.target.name == "AMD Radeon RX 7900 XTX (DirectML)"
    assert (found.target.kind, found.target.library, found.target.options) == ("gpu", "", {})
    assert found.memory_bytes == 24560 << 20
    assert found.is_real


def test_a_card_that_nobody_describes_is_told_from_others_of_its_maker() -> None:
    cards = [
        devices._found(
            Listed(devices.WEBGPU_PROVIDER, "GPU", (0x1002, number)), Plugin("webgpu", "0.4.0"), "x"
        )
        for number in (0x744C, 0x164E)
    ]

    assert [each.target.name for each in cards] == [
        "AMD GPU 744c (WebGPU)",
        "AMD GPU 164e (WebGPU)",
    ]
    assert {(each.plugin, each.target.library) for each in cards} == {("webgpu 0.4.0", "x")}


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
