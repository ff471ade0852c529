"""What a model folder says about itself: where it came from, and the SHA-256 of each of its files.

A flipped bit in the weights gives garbage text and no error at all, so the files are hashed: once,
while they are written, and again beside each load. A folder without a manifest is not installed.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from inference.errors import Cancelled, InferenceError, ModelDamaged, ModelMissing

FILE_NAME = "manifest.json"

STAMP_NAME = "verified.json"

_OWN_FILES = (FILE_NAME, STAMP_NAME)
_FORMAT = 1
_CHUNK_BYTES = 1 << 20
_TRUSTED_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What a file must be: hexadecimal SHA-256, and its size."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    Attributes:
        files: File name to digest, the manifest itself left out.
        id: What the model is called on the command line: the folder's name.
        name: What a person calls it.
        parameters: How many weights it has.
        quantization: Such as Q4_K_M.
        context_tokens: The context window that the folder was made for.
        source_sha256: Hexadecimal SHA-256 of the file it was made from; empty if from none.
        licence: As its source says, such as apache-2.0; empty where it does not.
    """

    files: Mapping[str, FileDigest]
    id: str
    name: str = ""
    architecture: str = ""
    parameters: int = 0
    quantization: str = ""
    context_tokens: int = 0
    source_sha256: str = ""
    licence: str = ""


def write(
    folder: Path, *, facts: Mapping[str, Any], files: Mapping[str, FileDigest] | None = None
) -> Manifest:
    """Write the manifest of a finished folder, last and at once: with it the folder is installed.

    Args:
        folder: With everything in it but the manifest.
        facts: The manifest's other fields by name; `id` is the folder's name unless given.
        files: Digests that are known already; every other file is read and hashed.

    Raises:
        OSError: The folder cannot be read or written.
    """
    known = dict(files or {})
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name not in known and path.name not in _OWN_FILES:
            known[path.name] = digest(path)
    manifest = Manifest(**{"id": folder.name, **facts, "files": known})
    body = json.dumps({"format": _FORMAT, **asdict(manifest)}, indent=1, ensure_ascii=False)
    write_file(folder / FILE_NAME, body.encode())
    return manifest


def read(folder: Path) -> Manifest:
    """Return the manifest of an installed model.

    Raises:
        ModelMissing: There is no such folder, or it was never finished.
        ModelDamaged: The manifest cannot be read.
    """
    try:
        raw = (folder / FILE_NAME).read_bytes()
    except OSError as error:
        raise ModelMissing(model=folder.name) from error
    try:
        return _parse(json.loads(raw))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelDamaged(file=FILE_NAME, reason="it is not a manifest") from error


def verify(
    folder: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Event | None = None,
) -> None:
    """Read every file of a model and compare it with the manifest.

    Args:
        folder: An installed model.
        progress: Called with (done_bytes, total_bytes).
        cancelled: Ends it soon when set.

    Raises:
        ModelMissing: The model or one of its files is not there.
        ModelDamaged: A file is not what the manifest says.
        Cancelled: `cancelled` was set.
    """
    manifest = read(folder)
    total = sum(expected.bytes for expected in manifest.files.values())
    done = 0
    for name, expected in manifest.files.items():
        check_file(folder / name, expected, cancelled=cancelled)
        done += expected.bytes
        if progress:
            progress(done, total)


def check_file(path: Path, expected: FileDigest, *, cancelled: Event | None = None) -> None:
    """Compare one file with its digest; raises as `verify` does."""
    try:
        if path.stat().st_size != expected.bytes:
            raise ModelDamaged(file=path.name, reason="its size is not the one in the manifest")
        found = digest(path, cancelled=cancelled)
    except OSError as error:
        raise ModelMissing(model=path.parent.name) from error
    if found != expected:
        raise ModelDamaged(file=path.name, reason="its SHA-256 is not the one in the manifest")


def digest(path: Path, *, cancelled: Event | None = None) -> FileDigest:
    """Return a file's digest.

    Raises:
        OSError: It cannot be read.
        Cancelled: `cancelled` was set.
    """
    checksum, size = hashlib.sha256(), 0
    buffer = memoryview(bytearray(_CHUNK_BYTES))
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(buffer):
            if cancelled is not None and cancelled.is_set():
                raise Cancelled
            checksum.update(buffer[:length])
            size += length
    return FileDigest(checksum.hexdigest(), size)


def write_file(path: Path, body: bytes) -> FileDigest:
    """Write a file so that it is whole or not there, and on the disk; return its digest."""
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    return FileDigest(hashlib.sha256(body).hexdigest(), len(body))


def _parse(body: dict[str, Any]) -> Manifest:
    if body.pop("format") != _FORMAT:
        raise ValueError("a manifest of another version")
    files = {name: FileDigest(**entry) for name, entry in body.pop("files").items()}
    if any(Path(name).name != name for name in files):
        raise ValueError("a file outside the folder")
    return Manifest(files=files, **body)


class Verifier:
    """Checks a model beside its load, on a thread of its own; the first token waits for it.

    A file whose size and time have not changed since a check within the last day is not read again.

    Args:
        folder: An installed model.
        now_s: Seconds since 1970, so that tests can choose the time.
    """

    def __init__(self, folder: Path, *, now_s: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now_s = now_s
        self._cancelled = Event()
        self._error: InferenceError | None = None
        self._thread = Thread(target=self._run, name="verifier", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._thread.start()

    def wait(self) -> None:
        """Wait for the verdict.

        Raises:
            ModelMissing, ModelDamaged: The model is not what its manifest says.
            Cancelled: `cancel` was called before the verdict.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error

    def cancel(self) -> None:
        """Stop reading, and wait until it has stopped: milliseconds."""
        self._cancelled.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._check()
        except InferenceError as error:
            self._error = error

    def _check(self) -> None:
        seen = _read_stamps(self._folder)
        fresh: dict[str, _Stamp] = {}
        for name, expected in read(self._folder).files.items():
            stamp = self._stamp(name, expected)
            known = seen.get(name)
            if known is None or not known.covers(stamp):
                check_file(self._folder / name, expected, cancelled=self._cancelled)
                known = stamp
            fresh[name] = known
        if fresh != seen:
            _write_stamps(self._folder, fresh)

    def _stamp(self, name: str, expected: FileDigest) -> "_Stamp":
        try:
            state = (self._folder / name).stat()
        except OSError as error:
            raise ModelMissing(model=self._folder.name) from error
        return _Stamp(expected.sha256, state.st_size, state.st_mtime_ns, self._now_s())


@dataclass(frozen=True, slots=True)
class _Stamp:
    """That a file was right when it had this size and time."""

    sha256: str
    bytes: int
    mtime_ns: int
    checked_s: float

    def covers(self, now: "_Stamp") -> bool:
        same = (self.sha256, self.bytes, self.mtime_ns) == (now.sha256, now.bytes, now.mtime_ns)
        return same and 0 <= now.checked_s - self.checked_s < _TRUSTED_S


def _read_stamps(folder: Path) -> dict[str, _Stamp]:
    try:
        body = json.loads((folder / STAMP_NAME).read_bytes())
        return {name: _Stamp(**entry) for name, entry in body.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # nothing is trusted, everything is read


def _write_stamps(folder: Path, stamps: Mapping[str, _Stamp]) -> None:
    body = json.dumps({name: asdict(stamp) for name, stamp in stamps.items()}, indent=1)
    with suppress(OSError):  # a folder that cannot be written is read again the next time
        write_file(folder / STAMP_NAME, body.encode())
