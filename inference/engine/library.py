"""Finds and loads the native library of ONNX Runtime GenAI, without running its package.

The package would only load a Python binding that holds the interpreter's lock through every call;
all it does before is repeated here: ONNX Runtime's own library comes first, from its package.
"""

import ctypes
import importlib.util
import os
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from inference import quiet
from inference.errors import InferenceError

_PACKAGES = (
    "onnxruntime-genai",
    "onnxruntime-genai-directml",
    "onnxruntime-genai-winml",
    "onnxruntime-genai-cuda",
    "onnxruntime",
    "onnxruntime-directml",
    "onnxruntime-windowsml",
    "onnxruntime-gpu",
)
_NAMES = {"win32": "onnxruntime-genai.dll", "darwin": "libonnxruntime-genai.dylib"}
_RUNTIME_PATTERNS = {"win32": "onnxruntime.dll", "darwin": "libonnxruntime*.dylib"}


def load() -> ctypes.CDLL:
    """Return the library; calls through it release the interpreter's lock.

    Raises:
        InferenceError: The packages are not installed, or not for this system.
    """
    os.environ.update(quiet.ENVIRONMENT)  # libraries read it when they are loaded
    folder = _folder("onnxruntime_genai")
    try:
        _load_runtime(_folder("onnxruntime") / "capi")
        return ctypes.CDLL(str(folder / _NAMES.get(sys.platform, "libonnxruntime-genai.so")))
    except OSError as error:
        raise InferenceError(kind="RuntimeNotLoaded") from error


def versions() -> dict[str, str]:
    """Return the runtime's packages and their versions."""
    found = {}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _load_runtime(folder: Path) -> None:
    if sys.platform == "win32":
        if ctypes.windll.kernel32.GetModuleHandleW("onnxruntime.dll"):
            return  # Windows ML has brought its own
        os.add_dll_directory(str(folder))
        # First, or the runtime would look for it in the system, which has an older one.
        if (directml := folder / "DirectML.dll").exists():
            ctypes.CDLL(str(directml))
    for library in sorted(folder.glob(_RUNTIME_PATTERNS.get(sys.platform, "libonnxruntime.so*"))):
        os.environ["ORT_LIB_PATH"] = str(library)
        ctypes.CDLL(str(library))
        return
    raise InferenceError(kind="RuntimeMissing")


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InferenceError(kind="RuntimeMissing")
    return Path(spec.submodule_search_locations[0])
