"""Which device runs the model, and why this one.

Only a child process may call this: asking the runtime for its devices loads drivers, and a bad one
ends the process. What runs today is the processor everywhere and DirectML on Windows; the latter is
written against documentation and was not run.
"""

import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference import quiet
from inference.types import DeviceChoice, DeviceKind, DeviceWish

CPU_PROVIDER = "CPUExecutionProvider"
DIRECTML_PROVIDER = "DmlExecutionProvider"

_KINDS: dict[str, DeviceKind] = {"CPU": "cpu", "GPU": "gpu", "NPU": "npu"}
_RANKS: tuple[DeviceKind, ...] = ("npu", "gpu", "cpu")
_USABLE = {CPU_PROVIDER} | ({DIRECTML_PROVIDER} if sys.platform == "win32" else set())
_UNMET: dict[DeviceWish, str] = {
    "gpu": "no GPU was found that Snug can use",
    "npu": "no NPU was found that Snug can use",
}


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device that the runtime lists.

    Attributes:
        provider: ONNX Runtime's execution provider.
        is_usable: Whether Snug runs models on it.
    """

    kind: DeviceKind
    provider: str
    name: str
    vendor: str
    is_usable: bool


def discover() -> tuple[DeviceInfo, ...]:
    """Return the devices of this computer, best first; loads the runtime."""
    assert quiet.ENVIRONMENT  # noqa: S101 - imported first for its effect
    import onnxruntime  # noqa: PLC0415 - heavy, and only wanted when somebody asks

    found = [_info(each) for each in onnxruntime.get_ep_devices()]
    return tuple(sorted(found, key=lambda info: _RANKS.index(info.kind)))


def choose(wish: DeviceWish) -> DeviceChoice:
    """Return the best device for `wish`; the processor, with a reason, where it cannot be met."""
    if wish == "cpu" or DIRECTML_PROVIDER not in _USABLE:
        return processor(reason=_UNMET.get(wish, ""))
    for info in discover():
        if info.is_usable and wish in ("auto", info.kind):
            return DeviceChoice(info.kind, info.provider, info.name)
    return processor(reason=_UNMET.get(wish, ""))


def processor(*, reason: str = "") -> DeviceChoice:
    """Return the processor."""
    return DeviceChoice("cpu", CPU_PROVIDER, processor_name(), reason)


def processor_name() -> str:
    """Return the processor's name as its maker writes it."""
    try:
        name = _READERS.get(sys.platform, platform.processor)()
    except (OSError, subprocess.SubprocessError):
        name = ""
    return " ".join(name.split()) or platform.processor() or platform.machine()


def _info(device: Any) -> DeviceInfo:
    hardware = device.device
    kind = _KINDS.get(str(hardware.type).rpartition(".")[2], "cpu")
    vendor = str(hardware.vendor or device.ep_vendor)
    described = dict(hardware.metadata).get("Description", "")
    name = processor_name() if kind == "cpu" else str(described or f"{vendor} {kind.upper()}")
    return DeviceInfo(kind, device.ep_name, name, vendor, device.ep_name in _USABLE)


def _linux_name() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value
    return ""


def _mac_name() -> str:
    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=5).stdout


def _windows_name() -> str:
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 - exists on Windows only

        path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    return ""


_READERS = {"linux": _linux_name, "darwin": _mac_name, "win32": _windows_name}
