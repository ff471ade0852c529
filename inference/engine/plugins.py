"""The names of execution providers, and the plug-ins that bring some of them."""

from inference import devices
from inference.engine.functions import api
from inference.errors import DeviceUnavailable
from inference.plugins import Plugin
from inference.types import DeviceChoice, DeviceTarget

CPU_PROVIDER = "CPUExecutionProvider"
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
        DeviceUnavailable: The plug-in cannot be loaded.
    """
    if device.provider == CPU_PROVIDER:
        return ""
    name = _NAMES.get(device.provider, device.provider)
    if isinstance(device, DeviceTarget) and device.library not in {"", *_loaded}:
        devices.admit_software()
        plugin = Plugin(name, library=device.library, is_virtual=device.is_virtual)
        try:
            _load(plugin.registration, device.library)
        except RuntimeError as error:
            raise DeviceUnavailable(
                device=device.kind, reason="its plug-in could not be loaded"
            ) from error
        _loaded.add(device.library)
    return name


def _load(name: str, plug_in: str) -> None:
    """Register a plug-in with the runtime, by way of the Python binding.

    The function of the C API ends the process where a plug-in cannot be loaded; the binding makes
    an exception of it.
    """
    api()  # in our order, with its uploader off
    import onnxruntime_genai  # noqa: PLC0415 - not needed without plug-ins

    onnxruntime_genai.register_execution_provider_library(name, plug_in)
