"""The devices that ONNX Runtime finds, with or without a plug-in.

Only a child process may call `discover`: asking the runtime for its devices loads drivers, and a
bad one ends the process. DirectML on Windows is written against documentation and was not run.
"""

import os
import sys
from dataclasses import dataclass
from typing import Any

from inference import drivers, quiet
from inference.plugins import Plugin
from inference.processor import processor_name
from inference.types import DeviceChoice, DeviceKind, DeviceTarget, DeviceWish

CPU_PROVIDER = "CPUExecutionProvider"
DIRECTML_PROVIDER = "DmlExecutionProvider"
WEBGPU_PROVIDER = "WebGpuExecutionProvider"
OPENVINO_PROVIDER = "OpenVINOExecutionProvider"
HAS_DIRECTML = sys.platform == "win32"

_SOFTWARE_SWITCH = "SNUG_ALLOW_SOFTWARE_DEVICES"
_VIRTUAL_SWITCH = "SNUG_VIRTUAL_DEVICES"
_WEBGPU_SWITCH = "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"

_KINDS: dict[str, DeviceKind] = {"CPU": "cpu", "GPU": "gpu", "NPU": "npu"}
_TITLES = {WEBGPU_PROVIDER: "WebGPU", OPENVINO_PROVIDER: "OpenVINO", DIRECTML_PROVIDER: "DirectML"}
_GENERIC = (WEBGPU_PROVIDER, DIRECTML_PROVIDER)
_MEBIBYTE = 1 << 20
_UNMET: dict[str, str] = {
    "gpu": "no GPU was found that Snug can use",
    "npu": "no NPU was found that Snug can use",
}


@dataclass(frozen=True, slots=True)
class DeviceFound:
    """A device that the runtime lists.

    Attributes:
        memory_bytes: The device's own; 0 where nobody tells.
        plugin: Name and version of the plug-in that brings the provider; empty without one.
        is_software: The processor plays the device.
    """

    target: DeviceTarget
    memory_bytes: int = 0
    plugin: str = ""
    is_software: bool = False

    @property
    def is_real(self) -> bool:
        """Whether there is hardware behind it that is not simply the processor once more."""
        return not (self.is_software or self.target.is_virtual)

    @property
    def rank(self) -> int:
        """Place by what it is, best first: NPU, GPU by its maker's provider, any GPU, processor."""
        if not self.is_real:
            return 4
        if self.target.kind == "gpu":
            return 2 if self.target.provider in _GENERIC else 1
        return 0 if self.target.kind == "npu" else 3


def allows_software() -> bool:
    """Return whether software adapters may be used: a switch for tests and for the curious."""
    return os.environ.get(_SOFTWARE_SWITCH) == "1"


def allows_virtual() -> bool:
    """Return whether virtual devices are listed, which run nothing: a switch for tests."""
    return os.environ.get(_VIRTUAL_SWITCH) == "1"


def admit_software() -> None:
    """Let plug-ins offer software adapters where the switch says so; before any is registered."""
    if allows_software():
        os.environ[_WEBGPU_SWITCH] = "1"


def discover(plugin: Plugin | None = None) -> tuple[DeviceFound, ...]:
    """Return the devices of the runtime itself, or those that `plugin` adds; loads the runtime.

    Raises:
        ImportError: The plug-in's package is damaged.
        RuntimeError: The runtime refuses the plug-in.
    """
    assert quiet.ENVIRONMENT  # noqa: S101 - imported first for its effect
    import onnxruntime  # noqa: PLC0415 - heavy, and only wanted when somebody asks

    own = [each for each in onnxruntime.get_ep_devices() if _is_plain(each)]
    if plugin is None:
        return tuple(_found(each) for each in own)
    known = {each.ep_name for each in own}
    library = plugin.library_path()
    admit_software()
    onnxruntime.register_execution_provider_library(plugin.registration, library)
    added = [each for each in onnxruntime.get_ep_devices() if each.ep_name not in known]
    return tuple(_found(each, plugin, library) for each in added if _is_plain(each))


def choose(wish: DeviceWish) -> DeviceChoice:
    """Return the device for a model that nobody decided about: DirectML's, else the processor."""
    if wish != "cpu" and HAS_DIRECTML:
        for found in discover():
            target = found.target
            if target.provider == DIRECTML_PROVIDER and wish in ("auto", target.kind):
                return DeviceChoice(target.kind, target.provider, target.name)
    return processor(reason=unmet(wish))


def unmet(wish: str) -> str:
    """Return the clause that says why the processor runs and not what was wished for."""
    return _UNMET.get(wish, "")


def processor(*, reason: str = "") -> DeviceChoice:
    """Return the processor as what runs."""
    return DeviceChoice("cpu", CPU_PROVIDER, processor_name(), reason)


def processor_target() -> DeviceTarget:
    """Return the processor as what shall run."""
    return DeviceTarget("cpu", CPU_PROVIDER, processor_name())


def _is_plain(device: Any) -> bool:
    """Say whether it is a device of its own, and not one of OpenVINO's mixtures of devices."""
    return "." not in device.ep_name


def _found(device: Any, plugin: Plugin | None = None, library: str = "") -> DeviceFound:
    hardware, provider = device.device, str(device.ep_name)
    facts, ep_facts = dict(hardware.metadata), dict(device.ep_metadata)
    kind = _KINDS.get(str(hardware.type).rpartition(".")[2], "cpu")
    is_software = kind == "cpu" and provider != CPU_PROVIDER
    is_hardware = kind != "cpu" and facts.get("is_virtual") != "1"
    if provider == WEBGPU_PROVIDER:
        kind = "gpu"  # a software adapter says that it is a processor
    ids = int(hardware.vendor_id), int(hardware.device_id)
    target = DeviceTarget(
        kind,
        provider,
        _name(device, kind, is_software=is_software),
        vendor=str(hardware.vendor or device.ep_vendor),
        library=library,
        options=_options(ep_facts),
        driver=_driver(provider, ids if is_hardware else None, is_software=is_software),
        is_virtual=facts.get("is_virtual") == "1",
    )
    return DeviceFound(
        target,
        memory_bytes=_memory_bytes(facts) or (drivers.memory_bytes(*ids) if is_hardware else 0),
        plugin=f"{plugin.name} {plugin.version}".strip() if plugin else "",
        is_software=is_software,
    )


def _name(device: Any, kind: DeviceKind, *, is_software: bool) -> str:
    """Return what a person calls it, or what comes nearest."""
    if device.ep_name == CPU_PROVIDER:
        return processor_name()
    facts = dict(device.device.metadata)
    described = str(facts.get("Description", "")).strip()
    if not described:
        maker = str(device.device.vendor or device.ep_vendor)
        word = "Virtual" if facts.get("is_virtual") == "1" else "Software" if is_software else maker
        number = str(dict(device.ep_metadata).get("npu_platform", ""))
        if word == maker and not number:
            number = f"{device.device.device_id:04x}"
        described = " ".join(filter(None, (word, kind.upper(), number)))
    return f"{described} ({_TITLES.get(device.ep_name, device.ep_name)})"


def _driver(provider: str, ids: tuple[int, int] | None, *, is_software: bool) -> str:
    """Return the versions of what stands between the provider and the hardware `ids`."""
    parts = [drivers.version(*ids)] if ids else []
    if provider == WEBGPU_PROVIDER and sys.platform == "linux" and (ids or is_software):
        parts.append(drivers.vulkan_version())
    return ", ".join(filter(None, parts))


def _options(ep_facts: dict[str, str]) -> dict[str, str]:
    """Return the provider's options that pick this device; OpenVINO takes the processor else."""
    device_type = ep_facts.get("ov_device", "")
    return {"device_type": device_type} if device_type else {}


def _memory_bytes(facts: dict[str, str]) -> int:
    """Return what Windows says of a card, such as "8192 MB", in bytes."""
    number, _, unit = facts.get("DxgiVideoMemory", "").partition(" ")
    return int(number) * _MEBIBYTE if unit == "MB" and number.isdigit() else 0
