"""The runtime's errors by what they mean.

All that it says is a text, and the text goes no further: it holds paths. What only another device
would do better is `DeviceUnavailable`, with a clause for people; files that are damaged or missing
are that on every device.
"""

import sys
from pathlib import Path

import psutil

from inference.errors import (
    DeviceUnavailable,
    InferenceError,
    ModelDamaged,
    ModelMissing,
    ModelUnsupported,
    OutOfMemory,
)

_MEMORY = ("bad_alloc", "could not allocate", "failed to allocate", "out of memory")
_MISSING = ("file doesn't exist", "external data path does not exist", "no such file")
_UNSUPPORTED = ("unsupported model_type", "is not a registered function", "opset")
_CONFIG = ("error encountered while parsing", "genai_config.json")
_DAMAGED = (
    "load model from",
    "parsing failed",
    "no graph was found",
    "out of bounds",
    "read in full",
    "deserialize tensor",
    "invalid dimensions",
)
# On a device of its own this may as well be the driver's failure.
_UNCLEAR = ("exception during initialization",)
_FOREIGN = ("epcontext node",)
_TAKES_NO_MORE = "continuous decoding is not supported"

_GRAPHICS = {"win32": "Direct3D 12", "darwin": "Metal"}.get(sys.platform, "Vulkan")

# The first that fits says it best.
_REASONS = (
    (("compile-only session",), "it is a virtual device that can run nothing"),
    (("webgpu adapter",), f"its driver has no usable {_GRAPHICS} adapter"),
    (("compiler loading failed", "compiler_loader"), "its driver has no compiler for models"),
    (("failed to load library", "interface not available"), "a library of its driver is missing"),
    (("devices matched",), "no such device was found"),
    (
        ("not been built with", "unknown provider name"),
        "this installation of Snug has no support for it",
    ),
    (("not supported in this build",), "its plug-in is missing or found no device"),
    (("hardware device type", "provider options"), "it does not know the options it was given"),
    (_FOREIGN, "the model was made for another device"),
    (
        ("graph capture", "not all nodes", "disable_cpu_ep_fallback", "not implemented"),
        "it cannot compute every part of the model",
    ),
    (("device lost", "device removed", "device_removed", "device hung"), "its driver stopped"),
    (("failed to load provider",), "its driver refused to start"),
)
_REFUSED = "its driver refused the model"


def from_runtime(
    error: Exception, folder: Path, *, device: str, on_processor: bool
) -> InferenceError:
    """Return the error that a runtime's exception stands for.

    Args:
        error: What the runtime raised.
        folder: The model's.
        device: Kind of the device it was meant to run on.
        on_processor: By the runtime's own provider, which has no driver to blame.
    """
    text = str(error).lower()
    reason = "" if on_processor else _reason(text)
    if reason:
        return DeviceUnavailable(device=device, reason=reason)
    if isinstance(error, MemoryError) or _has(text, _MEMORY):
        return OutOfMemory(free_bytes=int(psutil.virtual_memory().available))
    if damage := _damage(text, folder):
        return damage
    if not on_processor:
        return DeviceUnavailable(device=device, reason=_REFUSED)
    if _has(text, _UNCLEAR):
        return ModelDamaged(file="model.onnx", reason="it cannot be loaded")
    return InferenceError(kind=type(error).__name__)


def takes_no_more(error: Exception) -> bool:
    """Return whether it says that this device does not let a sequence be continued."""
    return _TAKES_NO_MORE in str(error).lower()


def _damage(text: str, folder: Path) -> InferenceError | None:
    """Return what is wrong with the folder, where it is clearly that."""
    if _has(text, _MISSING):
        return ModelMissing(model=folder.name)
    if _has(text, _UNSUPPORTED):
        return ModelUnsupported(what="this kind of model")
    if _has(text, _FOREIGN):
        return ModelUnsupported(what="a model for another kind of device")
    if _has(text, _CONFIG):
        return ModelDamaged(file="genai_config.json", reason="it does not describe a model")
    if _has(text, _DAMAGED):
        return ModelDamaged(file="model.onnx", reason="it cannot be loaded")
    return None


def _reason(text: str) -> str:
    """Return the clause for a failure that is clearly the device's, else nothing."""
    return next((reason for parts, reason in _REASONS if _has(text, parts)), "")


def _has(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text for part in parts)
