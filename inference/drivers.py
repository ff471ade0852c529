"""The version of a device's driver and its memory, as far as the system tells without loading it.

A verdict about a device holds for one driver: with a new one the device is tried anew. Linux was
run; Windows and macOS are written after documentation.
"""

import json
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

_DEVICES = ("/sys/class/drm/card*/device", "/sys/class/accel/accel*/device")
_MODULES = Path("/sys/module")
_VULKAN_FOLDERS = ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d")
# Classes of the registry: display adapters, and accelerators without a screen.
_WINDOWS_CLASSES = (
    "{4d36e968-e325-11ce-bfc1-08002be10318}",
    "{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}",
)


def version(vendor_id: int, device_id: int) -> str:
    """Return the driver's name and version, or what comes nearest; empty where nobody knows."""
    if sys.platform == "win32":
        return _windows_version(vendor_id, device_id)
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"  # drivers come with the system
    device = _linux_device(vendor_id, device_id)
    return "" if device is None else _linux_version(device)


def memory_bytes(vendor_id: int, device_id: int) -> int:
    """Return the device's own memory; 0 where the system does not tell."""
    device = _linux_device(vendor_id, device_id) if sys.platform == "linux" else None
    if device is None:
        return 0
    try:
        return int((device / "mem_info_vram_total").read_text("ascii"))
    except (OSError, ValueError):
        return 0


def vulkan_version() -> str:
    """Return the Vulkan drivers of this Linux and the versions of the interface they offer."""
    found = []
    for file in _vulkan_files():
        with suppress(OSError, ValueError, KeyError, TypeError):
            body = json.loads(file.read_text("utf-8"))
            name = file.name.partition(".")[0].removesuffix("_icd")
            found.append(f"{name} {body['ICD']['api_version']}")
    return f"Vulkan {', '.join(sorted(found))}" if found else ""


def _vulkan_files() -> list[Path]:
    chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if chosen:
        return [Path(name) for name in chosen.split(os.pathsep)]
    return [file for folder in _VULKAN_FOLDERS for file in Path(folder).glob("*.json")]


def _linux_device(vendor_id: int, device_id: int) -> Path | None:
    for pattern in _DEVICES:
        for device in sorted(Path("/").glob(pattern[1:])):
            with suppress(OSError, ValueError):
                ids = [int((device / name).read_text("ascii"), 16) for name in ("vendor", "device")]
                if ids == [vendor_id, device_id]:
                    return device
    return None


def _linux_version(device: Path) -> str:
    try:
        name = (device / "driver").resolve(strict=True).name
    except OSError:
        return ""
    try:
        number = (_MODULES / name / "version").read_text("utf-8").strip()
    except OSError:
        number = platform.release()  # drivers of the kernel itself have no other version
    return f"{name} {number}"


def _windows_version(vendor_id: int, device_id: int) -> str:
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 - exists on Windows only

        wanted = f"ven_{vendor_id:04x}&dev_{device_id:04x}"
        for name in _WINDOWS_CLASSES:
            path = rf"SYSTEM\CurrentControlSet\Control\Class\{name}"
            with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as group:
                for index in range(winreg.QueryInfoKey(group)[0]):
                    # Some entries may be read by administrators only.
                    with (
                        suppress(OSError),
                        winreg.OpenKey(group, winreg.EnumKey(group, index)) as key,
                    ):
                        matching = str(winreg.QueryValueEx(key, "MatchingDeviceId")[0])
                        if wanted in matching.lower():
                            return str(winreg.QueryValueEx(key, "DriverVersion")[0])
    return ""
