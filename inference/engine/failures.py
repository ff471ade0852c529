"""The runtime's errors by what they mean.

Everything it raises is a RuntimeError; only the text and the stage differ. The text itself goes no
further: it holds paths.
"""

from pathlib import Path

import psutil

from inference.engine import device_reasons
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
_DEVICE = ("execution provider", "adapter", "failed to load provider", "interface not available")
_DAMAGED = (
    "load model from",
    "parsing failed",
    "no graph was found",
    "out of bounds",
    "read in full",
    "error encountered while parsing",
    "exception during initialization",
    "deserialize tensor",
    "invalid dimensions",
)


def from_runtime(error: Exception, folder: Path, *, device: str) -> InferenceError:
    """Return the error that a runtime's exception for the model in `folder` stands for."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or _has(text, _MEMORY):
        return OutOfMemory(free_bytes=int(psutil.virtual_memory().available))
    is_device = device != "cpu" and device_reasons.concerns_device(text)
    if not is_device and (damage := _model_error(text, folder)) is not None:
        return damage
    if is_device or _has(text, _DEVICE):
        return DeviceUnavailable(device=device, reason=device_reasons.reason(text))
    return InferenceError(kind=type(error).__name__)


def _model_error(text: str, folder: Path) -> InferenceError | None:
    if _has(text, _MISSING):
        return ModelMissing(model=folder.name)
    if _has(text, _UNSUPPORTED):
        return ModelUnsupported(what="this kind of model")
    if _has(text, _DAMAGED):
        return ModelDamaged(file="model.onnx", reason="it cannot be loaded")
    return None


def _has(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text for part in parts)
