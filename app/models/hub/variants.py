"""Which of a repository's files make a model that Snug can run, and which of these to fetch.

One repository holds the same model several times: for the processor, for makes of GPU and NPU, in
several precisions. A folder with the runtime's configuration is one variant, a GGUF file is one.
What they are made for is told by their names alone, as nothing else is known before the fetch.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from app.models.hub.values import RemoteFile, RemoteModel, Variant, VariantDevice

_CONFIG = "genai_config.json"
_GGUF = ".gguf"
# Code is never run, so it is not fetched; weights of other programs are of no use.
_LEFT_OUT = re.compile(
    r"\.(?:py|pyd|so|dll|dylib|exe|sh|bat|pkl|pickle|pt|pth|safetensors|h5|msgpack|gguf|png|jpg)$",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
_PROJECTOR = re.compile(r"(?:^|[-_.])mmproj(?:[-_.]|$)", re.IGNORECASE)
_WORDS = re.compile(r"[a-z0-9]+")
_DEVICES: tuple[tuple[VariantDevice, frozenset[str]], ...] = (
    ("npu", frozenset(("npu", "qnn", "vitisai", "ryzenai", "hybrid"))),
    ("gpu", frozenset(("gpu", "cuda", "directml", "dml", "webgpu", "trt", "tensorrt", "rocm"))),
    ("cpu", frozenset(("cpu", "mobile"))),
)
_QUANTIZATION = re.compile(
    r"(?<![a-z0-9])(i?q\d(?:_[a-z0-9]+)*|u?int[48]|fp16|fp32|f16|f32|bf16)(?![a-z0-9])",
    re.IGNORECASE,
)
# Of several for one device: the one whose kernels are fast, then the smallest.
_PREFERRED = ("acc-level-4", "acc_level_4")


def variants(model: RemoteModel, folder: str = "") -> tuple[Variant, ...]:
    """Return what of a repository, or of one folder of it, can be run, by name.

    Files of a GGUF model that was split are none, nor are the parts for pictures of one.
    """
    inside = [file for file in model.files if not folder or file.path.startswith(f"{folder}/")]
    found = (*_folders(inside), *_gguf_files(inside))
    return tuple(sorted(found, key=lambda variant: variant.name))


def choose(found: Sequence[Variant], *, devices: Sequence[str]) -> Variant | None:
    """Return the variant to take: for the first device that one is made for, the fastest there.

    A GGUF file and a folder that names no device run on the processor, whatever else there is.

    Args:
        found: What a repository holds.
        devices: What this machine can run on, the best first.
    """
    for device in devices:
        fitting = [one for one in found if (one.device or "cpu") == device]
        if fitting:
            return min(fitting, key=_rank)
    return None


def _rank(variant: Variant) -> tuple[bool, bool, bool, int]:
    is_float = variant.quantization.lower() in ("fp16", "fp32", "f16", "f32", "bf16")
    is_fast = any(word in variant.name.lower() for word in _PREFERRED)
    return variant.kind != "onnx", is_float, not is_fast, variant.bytes


def _folders(files: Iterable[RemoteFile]) -> Iterator[Variant]:
    by_folder: dict[str, list[RemoteFile]] = {}
    for file in files:
        by_folder.setdefault(_parent(file.path), []).append(file)
    for name, inside in by_folder.items():
        if any(PurePosixPath(file.path).name == _CONFIG for file in inside):
            wanted = tuple(file for file in inside if _is_wanted(file))
            yield Variant(name, "onnx", _device(name), _quantization(name), wanted)


def _gguf_files(files: Iterable[RemoteFile]) -> Iterator[Variant]:
    for file in files:
        name = PurePosixPath(file.path).name
        if name.lower().endswith(_GGUF) and not _SPLIT.search(name) and not _PROJECTOR.search(name):
            yield Variant(file.path, "gguf", "", _quantization(name), (file,))


def _is_wanted(file: RemoteFile) -> bool:
    name = PurePosixPath(file.path).name
    return not name.startswith(".") and not _LEFT_OUT.search(name)


def _parent(path: str) -> str:
    parent = str(PurePosixPath(path).parent)
    return "" if parent == "." else parent


def _device(name: str) -> VariantDevice:
    """Return what a folder is made for by its own name, else by those it lies in."""
    for part in reversed(PurePosixPath(name).parts):
        words = set(_WORDS.findall(part.lower()))
        for device, names in _DEVICES:
            if words & names:
                return device
    return ""


def _quantization(name: str) -> str:
    found = _QUANTIZATION.findall(name)
    return found[-1] if found else ""
