"""The names of execution providers, and the plug-ins that bring some of them."""

from inference import devices
from inference.engine.capi import RuntimeFailure, api
from inference.plugins import Plugin
from inference.types import DeviceChoice, DeviceTarget

_CPU = "CPUExecutionProvider"
# What both generations of the runtime call them; the older one knows no other names.
_NAMES = {
    "CUDAExecutionProvider": "cuda",
    "DmlExecutionProvider": "dml",
    "NvTensorRTRTXExecutionProvider": "NvTensorRtRtx",
    "OpenVINOExecutionProvider": "OpenVINO",
    "QNNExecutionProvider": "QNN",
    "VitisAIExecutionProvider": "VitisAI",
    "WebGpuExecutionProvider": "WebGPU",
}
# Loaded ones stay: unloading a plug-in that was used ends the process.
_loaded: set[str] = set()


def provide(device: DeviceTarget | DeviceChoice) -> str:
    """Return the name of the device's provider, its plug-in loaded; empty for the processor.

    Raises:
        RuntimeFailure: The plug-in cannot be loaded.
    """
    if device.provider == _CPU:
        return ""
    plug_in = device.library if isinstance(device, DeviceTarget) else ""
    name = _NAMES.get(device.provider, device.provider)
    if plug_in and plug_in not in _loaded:
        is_virtual = isinstance(device, DeviceTarget) and device.is_virtual
        devices.admit_software()
        _load(Plugin(name, library=plug_in, is_virtual=is_virtual).registration, plug_in)
        _loaded.add(plug_in)
    return name


def _load(name: str, plug_in: str) -> None:
    """Register a plug-in with the runtime, by way of the Python binding.

    The function of the C API ends the process where a plug-in cannot be loaded; the binding makes
    an exception of it.
    """
    api()  # in our order, with its uploader off
    import onnxruntime_genai  # noqa: PLC0415 - not needed without plug-ins

    try:
        onnxruntime_genai.register_execution_provider_library(name, plug_in)
    except RuntimeError as error:
        raise RuntimeFailure(str(error)) from error
