"""What the system tells of a driver, in a tree like that of Linux."""

import json
import os
import platform
import sys
from pathlib import Path

import pytest

from inference import drivers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

AMD, NVIDIA = (0x1002, 0x744C), (0x10DE, 0x2684)


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two cards: the kernel's own driver, and one that has a version of its own."""
    for number, ((vendor, device), driver) in enumerate(((AMD, "amdgpu"), (NVIDIA, "nvidia"))):
        folder = tmp_path / "drm" / f"card{number}" / "device"
        folder.mkdir(parents=True)
        (folder / "vendor").write_text(f"{vendor:#06x}\n")
        (folder / "device").write_text(f"{device:#06x}\n")
        (tmp_path / "drivers" / driver).mkdir(parents=True)
        (folder / "driver").symlink_to(tmp_path / "drivers" / driver)
    (tmp_path / "drm" / "card0" / "device" / "mem_info_vram_total").write_text("8589934592\n")
    (tmp_path / "drm" / "card2-HDMI").mkdir()
    (tmp_path / "modules" / "nvidia").mkdir(parents=True)
    (tmp_path / "modules" / "nvidia" / "version").write_text("580.65.06\n")
    monkeypatch.setattr(drivers, "_DEVICES", (f"{tmp_path}/drm/card*/device",))
    monkeypatch.setattr(drivers, "_MODULES", tmp_path / "modules")
    return tmp_path


def test_a_driver_of_the_kernel_has_the_kernels_version() -> None:
    assert drivers.version(*AMD) == f"amdgpu {platform.release()}"


def test_a_driver_from_elsewhere_has_its_own() -> None:
    assert drivers.version(*NVIDIA) == "nvidia 580.65.06"


def test_a_card_that_is_not_there_has_none() -> None:
    assert drivers.version(0x8086, 0x64A0) == ""
    assert drivers.memory_bytes(0x8086, 0x64A0) == 0


def test_memory_is_told_by_some() -> None:
    assert drivers.memory_bytes(*AMD) == 8 << 30
    assert drivers.memory_bytes(*NVIDIA) == 0


def test_vulkan_drivers_are_named_with_their_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for name, version in (("radeon_icd", "1.4.305"), ("lvp_icd.x86_64", "1.3.1")):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({"ICD": {"api_version": version}}))
    (tmp_path / "broken.json").write_text("{")
    files += [tmp_path / "broken.json", tmp_path / "gone.json"]
    monkeypatch.setenv("VK_DRIVER_FILES", os.pathsep.join(map(str, files)))

    assert drivers.vulkan_version() == "Vulkan lvp 1.3.1, radeon 1.4.305"


def test_without_vulkan_there_is_nothing_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", "/nonexistent")

    assert drivers.vulkan_version() == ""
