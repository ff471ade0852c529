"""`genai_config.json` of a folder that somebody brings: only settings that name nothing outside it.

The runtime hands whatever stands under `session_options`, `run_options` and `provider_options` on
to ONNX Runtime and to drivers (`src/config.cpp` of onnxruntime-genai): libraries to load, folders
to read from and files to write. So there a key or a value that smells of a file is refused, and
everywhere else what names a file must name one of the folder.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported
from inference.gguf.cursor import shown

FILE_NAME = "genai_config.json"
CODE = re.compile(
    r"\.(?:so(?:\.[0-9.]+)?|dll|dylib|pkl|pickle|pt|pth|ckpt|joblib|py|pyc|pyd|exe|bat|sh|ort)$",
    re.IGNORECASE,
)
"""Endings of code, of pickles, which are code, and of graphs in a format that nobody looks into."""

_MAX_BYTES = 4 << 20
_LIBRARY_KEY = "custom_ops_library"
_OPTIONS = ("session_options", "run_options", "provider_options")
_FILE_WORDS = frozenset(("path", "paths", "file", "files", "filename", "filepath"))
_OPTION_WORDS = _FILE_WORDS | {
    *("folder", "dir", "directory", "library", "libraries", "lib", "dll", "plugin"),
    *("profiling", "format", "table", "context"),  # the last one writes a graph beside the graph
}
_WORD_ENDS = re.compile(r"[._\- ]|(?<=[a-z])(?=[A-Z])")
_PLACES = re.compile(r"[/\\\0]|^~|^[A-Za-z]:|^\.\.?$")
_NO_NAME = re.compile(r"[/\\:\0]|^\.{0,2}$")
_GRAPH_KEY = "filename"
_GRAPH_SUFFIX = ".onnx"


@dataclass(frozen=True, slots=True)
class Config:
    """What the configuration says that Snug needs.

    Attributes:
        context_tokens: 0 where it does not say.
        graphs: Names of the ONNX files that the runtime opens.
    """

    architecture: str
    context_tokens: int
    graphs: frozenset[str]


def read(folder: Path, names: frozenset[str]) -> Config:
    """Return the configuration of a folder that holds the files `names`.

    Raises:
        ModelMissing: It names a file that is not there.
        ModelDamaged: It cannot be read.
        ModelUnsupported: It names what Snug does not load.
    """
    config = _parsed(folder / FILE_NAME)
    model = config.get("model")
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise ModelDamaged(file=FILE_NAME, reason="no model type")
    graphs: set[str] = set()
    for keys, value in _values(config, ()):
        _check(keys, value, names)
        if keys[-1] == _GRAPH_KEY and value:
            graphs.add(str(value))
    context_tokens = model.get("context_length")
    return Config(
        architecture=model["type"],
        context_tokens=context_tokens if isinstance(context_tokens, int) else 0,
        graphs=frozenset(graphs),
    )


def is_file_name(text: str) -> bool:
    """Say whether a text names a file of the same folder, on every system."""
    return not _NO_NAME.search(text)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ModelMissing(model=path.parent.name) from error
    if len(body) > _MAX_BYTES:
        raise ModelDamaged(file=FILE_NAME, reason="too large")
    try:
        config = json.loads(body.decode(), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ModelDamaged(file=FILE_NAME, reason="not JSON") from error
    if not isinstance(config, dict):
        raise ModelDamaged(file=FILE_NAME, reason="not an object")
    return config


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; with a key twice, the runtime could obey the one that was not looked at."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _values(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield everything in the configuration with the keys it stands under, objects too."""
    if keys:
        yield keys, value
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _values(item, (*keys, name))
    elif isinstance(value, list):
        for item in value:
            yield from _values(item, keys or ("",))


def _check(keys: tuple[str, ...], value: Any, names: frozenset[str]) -> None:
    key = keys[-1]
    if key == _LIBRARY_KEY or (isinstance(value, str) and CODE.search(value.strip())):
        raise ModelUnsupported(what=f"a library of its own: {_said(key, value)}")
    if isinstance(value, dict | list):
        return
    words = {word.lower() for word in _WORD_ENDS.split(key)}
    if any(option in keys for option in _OPTIONS):
        if words & _OPTION_WORDS or (isinstance(value, str) and _PLACES.search(value)):
            raise ModelUnsupported(what=f"a setting that names a file: {shown(key)}")
    elif words & _FILE_WORDS and value:
        _check_file(key, value, names)


def _check_file(key: str, value: Any, names: frozenset[str]) -> None:
    if not isinstance(value, str):
        raise ModelDamaged(file=FILE_NAME, reason=f"{shown(key)} is no name")
    if not is_file_name(value):
        raise ModelUnsupported(what=f"a file outside its folder: {shown(value)}")
    if value not in names:
        raise ModelMissing(model=shown(value))
    if key == _GRAPH_KEY and not value.endswith(_GRAPH_SUFFIX):
        raise ModelUnsupported(what=f"a graph of another format: {shown(value)}")


def _said(key: str, value: Any) -> str:
    return shown(value) if isinstance(value, str) else shown(key)
