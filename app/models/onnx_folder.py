"""Model folders for ONNX Runtime GenAI that people bring: checked, then copied.

Such a folder is configuration and a program that a native runtime obeys: it can name a library to
load or a file anywhere on the disk. So everything that the configuration and the graphs name must
be a plain file of the folder, and a library, a pickle or a link that leads out is refused by name
before a byte is copied. What was copied is checked again: the source may have changed meanwhile.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.models import json_check, onnx_config, onnx_graph
from app.models.task import Task
from inference import int8_record, manifest
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported
from inference.gguf.cursor import shown

CONFIG_NAME = onnx_config.FILE_NAME

_LEFT_OUT = frozenset(
    (manifest.FILE_NAME, manifest.STAMP_NAME, int8_record.RECORD_FILE, int8_record.SCALES_FILE)
)
"""What Snug itself finds out about a model; nobody else may vouch for it."""

_TOKENIZER_NAME = "tokenizer.json"
_MODEL_SUFFIX = ".onnx"
_JSON_SUFFIX = ".json"
_MAX_JSON_BYTES = 64 << 20
_MAX_FILES = 256
_CHUNK_BYTES = 1 << 20
_PICKLES = re.compile(
    r"^(?:pytorch_model.*|training_args|optimizer|scheduler)\.bin$", re.IGNORECASE
)
_HEAD_BYTES = 64
_LIBRARY_HEADS = (
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)
_ZIP_HEAD = b"PK\x03\x04"
_PICKLE_HEAD = re.compile(rb"\x80[\x02-\x05][}\]c(X\x8a\x95]")
_WINDOWS_HEAD = b"MZ"
_WINDOWS_OFFSET = slice(60, 64)
_WINDOWS_MARK = b"PE\0\0"


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
        ModelMissing: A file that the configuration or a graph names, the tokenizer or the weights
            are not there.
        ModelDamaged: A file of it cannot be what its name says.
        ModelUnsupported: It holds or names what Snug does not run.
        OSError: It cannot be read.
    """
    files = tuple(_plain_files(folder))
    sizes = {path.name: path.stat().st_size for path in files}
    config = onnx_config.read(folder, frozenset(sizes))
    if _TOKENIZER_NAME not in sizes or not any(n.endswith(_MODEL_SUFFIX) for n in sizes):
        raise ModelMissing(model=folder.name)
    for path in files:
        _check_content(path)
        if path.suffix == _MODEL_SUFFIX:
            _check_graph(path, sizes, needed=path.name in config.graphs)
        elif path.suffix == _JSON_SUFFIX:
            _check_json(path, sizes[path.name])
    return FolderFacts(
        name=folder.resolve().name,
        architecture=config.architecture,
        context_tokens=config.context_tokens,
        files=files,
        total_bytes=sum(sizes.values()),
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
        InferenceError: What came is not what was checked, as in `check`.
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
    check(target)


def _plain_files(folder: Path) -> Iterator[Path]:
    """Yield the files to copy; folders, hidden files and Snug's own are left where they are."""
    inside = folder.resolve()
    entries = sorted(folder.iterdir())
    if len(entries) > _MAX_FILES:
        raise ModelUnsupported(what=f"a folder of {len(entries)} files")
    for path in entries:
        if path.name.startswith(".") or path.name in _LEFT_OUT:
            continue
        if path.is_symlink() and _target(path).parent != inside:
            raise ModelUnsupported(what=f"a link out of its folder: {shown(path.name)}")
        if onnx_config.CODE.search(path.name) or _PICKLES.search(path.name):
            raise ModelUnsupported(what=f"code in its folder: {shown(path.name)}")
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            yield path
        elif not stat.S_ISDIR(mode):
            raise ModelUnsupported(what=f"what is no file in its folder: {shown(path.name)}")


def _target(link: Path) -> Path:
    try:
        return link.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # Python 3.11 has its own error for a link to itself
        raise ModelMissing(model=shown(link.name)) from error


def _check_content(path: Path) -> None:
    """Refuse libraries and pickles under another name: weights never begin like these."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        is_code = head.startswith((*_LIBRARY_HEADS, _ZIP_HEAD)) or bool(_PICKLE_HEAD.match(head))
        if head.startswith(_WINDOWS_HEAD):
            file.seek(int.from_bytes(head[_WINDOWS_OFFSET], "little"))
            is_code = file.read(len(_WINDOWS_MARK)) == _WINDOWS_MARK
    if is_code:
        raise ModelUnsupported(what=f"code in its folder: {shown(path.name)}")


def _check_graph(path: Path, sizes: dict[str, int], *, needed: bool) -> None:
    """Check the files with weights that a graph names.

    Args:
        path: The ONNX file.
        sizes: Bytes of each plain file of the folder.
        needed: Its weights must be there.
    """
    for name, length_bytes in onnx_graph.read(path).external_bytes.items():
        if not onnx_config.is_file_name(name):
            raise ModelUnsupported(what=f"weights outside its folder: {shown(name)}")
        if name in sizes:
            if sizes[name] < length_bytes:
                raise ModelDamaged(file=shown(name), reason="weights lie behind its end")
        elif needed:
            raise ModelMissing(model=shown(name))


def _check_json(path: Path, size: int) -> None:
    if size > _MAX_JSON_BYTES:
        raise ModelDamaged(file=shown(path.name), reason="too large")
    json_check.check(path.read_bytes(), shown(path.name))
