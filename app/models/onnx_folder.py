"""Model folders for ONNX Runtime GenAI that people bring: checked, then copied.

Such a folder is configuration that a native runtime obeys: it can name a library to load or a file
anywhere on the disk. So everything the configuration names must be a plain file of the folder, and
a library, a pickle or a link that leads out is refused by name before a byte is copied.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.models.task import Task
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported

CONFIG_NAME = "genai_config.json"

_TOKENIZER_NAME = "tokenizer.json"
_MODEL_SUFFIX = ".onnx"
_MAX_CONFIG_BYTES = 4 << 20
_MAX_FILES = 256
_CHUNK_BYTES = 1 << 20
_CODE = re.compile(r"\.(?:so(?:\.[0-9.]+)?|dll|dylib|pkl|pickle|pt|pth|py|pyd|exe)$", re.IGNORECASE)
_LIBRARY_KEY = "custom_ops_library"
_FILE_KEYS = ("filename", "config_filename")


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What was found in a folder that passed the checks.

    Attributes:
        files: The plain files to copy, by name.
        context_tokens: 0 where the configuration does not say.
    """

    name: str
    architecture: str
    context_tokens: int
    files: tuple[Path, ...]
    total_bytes: int


def check(folder: Path) -> FolderFacts:
    """Look at a folder without changing anything.

    Raises:
        ModelMissing: A file that the configuration names, the tokenizer or the weights are not
            there.
        ModelDamaged: The configuration cannot be read.
        ModelUnsupported: It holds or names what Snug does not run.
        OSError: It cannot be read.
    """
    files = tuple(_plain_files(folder))
    names = {path.name for path in files}
    config = _config(folder)
    model = config.get("model")
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise ModelDamaged(file=CONFIG_NAME, reason="no model type")
    for key, text in _texts(config):
        _check_text(key, text, names)
    if _TOKENIZER_NAME not in names or not any(n.endswith(_MODEL_SUFFIX) for n in names):
        raise ModelMissing(model=folder.name)
    context_tokens = model.get("context_length")
    return FolderFacts(
        name=folder.resolve().name,
        architecture=model["type"],
        context_tokens=context_tokens if isinstance(context_tokens, int) else 0,
        files=files,
        total_bytes=sum(path.stat().st_size for path in files),
    )


def manifest_facts(facts: FolderFacts) -> dict[str, str | int]:
    """Return what the manifest of the installed folder says of it."""
    return {
        "name": facts.name,
        "architecture": facts.architecture,
        "context_tokens": facts.context_tokens,
    }


def copy(facts: FolderFacts, target: Path, task: Task) -> None:
    """Copy the checked files into the new folder `target`.

    Raises:
        Cancelled: The task was stopped.
        OSError: A file cannot be read or written.
    """
    target.mkdir(parents=True)
    done = 0
    for path in facts.files:
        with path.open("rb") as source, (target / path.name).open("wb") as copied:
            while chunk := source.read(_CHUNK_BYTES):
                task.check()
                copied.write(chunk)
                done += len(chunk)
                task.report("joining", done, facts.total_bytes)
            copied.flush()
            os.fsync(copied.fileno())


def _plain_files(folder: Path) -> Iterator[Path]:
    """Yield the files to copy; folders and hidden files are left where they are."""
    inside = folder.resolve()
    entries = sorted(folder.iterdir())
    if len(entries) > _MAX_FILES:
        raise ModelUnsupported(what=f"a folder of {len(entries)} files")
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.is_symlink() and path.resolve().parent != inside:
            raise ModelUnsupported(what=f"a link out of its folder: {path.name}")
        if _CODE.search(path.name):
            raise ModelUnsupported(what=f"code in its folder: {path.name}")
        if path.is_file():
            yield path


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG_NAME
    if path.stat().st_size > _MAX_CONFIG_BYTES:
        raise ModelDamaged(file=CONFIG_NAME, reason="too large")
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ModelDamaged(file=CONFIG_NAME, reason="not JSON") from error
    if not isinstance(config, dict):
        raise ModelDamaged(file=CONFIG_NAME, reason="not an object")
    return config


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of the configuration with the key it stands under."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key)
    elif isinstance(value, str):
        yield key, value


def _check_text(key: str, text: str, names: set[str]) -> None:
    if key == _LIBRARY_KEY or _CODE.search(text.strip()):
        raise ModelUnsupported(what=f"a library of its own: {text}")
    if key not in _FILE_KEYS or not text:
        return
    if text != Path(text).name or "/" in text or "\\" in text or ":" in text:
        raise ModelUnsupported(what=f"a file outside its folder: {text}")
    if text not in names:
        raise ModelMissing(model=text)
