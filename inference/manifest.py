"""What a model folder says about itself: where it came from, and the SHA-256 of each of its files.

A flipped bit in the weights gives garbage text and no error at all, so the files are hashed: once,
while they are written, and again beside each load. The manifest has a checksum of itself, which
those of older versions lack. A folder without a manifest is not installed.

What is trusted: `verify` reads every byte. A load reads every byte of what steers the runtime, and
of weights unless a load read them within the last day and their size and times are the same since;
a disk that changes them without a write is noticed a day later. What Snug measured itself, beside
the manifest, is not part of the model: it is measured again where it is damaged. Any other file
could steer the runtime unseen and is refused.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from inference import int8_record
from inference.digests import FileDigest, check_file, digest, sealed, unsealed, write_file
from inference.errors import BadFrame, Cancelled, InferenceError, ModelDamaged, ModelMissing
from inference.frames import Codec

FILE_NAME = "manifest.json"
STAMP_NAME = "verified.json"

_TRUSTED_S = 24 * 3600
_MAX_BYTES = 4 << 20
_STEERING = (".json", ".jinja", ".onnx")
_AT_ONCE_BYTES = 16 << 20
_NAMES_NO_FILE = ("", ".", "..")
_OWN = frozenset((FILE_NAME, STAMP_NAME, int8_record.RECORD_FILE, int8_record.SCALES_FILE))
_UNFINISHED_SUFFIX = ".new"
_OF_THE_SYSTEM = frozenset(("Thumbs.db", "desktop.ini", "Icon\r"))


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    Attributes:
        files: File name to digest, the manifest itself left out.
        id: What the folder was called when it was made.
        name: What a person calls the model.
        parameters: How many weights it has.
        quantization: Such as Q4_K_M.
        context_tokens: The context window that the folder was made for.
        source_sha256: Hexadecimal SHA-256 of the file it was made from; empty if from none.
        licence: As its source says, such as apache-2.0; empty where it does not.
        origin: Where its files came from, such as hub:owner/name@commit/folder; empty if not known.
        format: Counts up when a reader of today could not read it.
    """

    files: dict[str, FileDigest]
    id: str
    name: str = ""
    architecture: str = ""
    parameters: int = 0
    quantization: str = ""
    context_tokens: int = 0
    source_sha256: str = ""
    licence: str = ""
    origin: str = ""
    format: int = 1

    def __post_init__(self) -> None:
        names_files = all(Path(n).name == n not in _NAMES_NO_FILE for n in self.files)
        if self.format != 1 or not names_files:
            raise ValueError("a manifest of another version, or of files outside the folder")


@dataclass(frozen=True, slots=True)
class _Stamp:
    """That a file was right when it had this size and these times.

    The time of its state is of every write, also where the other one was set back; on Windows it is
    of its creation.
    """

    sha256: str
    bytes: int
    mtime_ns: int
    checked_s: float
    ctime_ns: int = 0

    def covers(self, now: "_Stamp") -> bool:
        same = replace(self, checked_s=now.checked_s) == now
        return same and 0 <= now.checked_s - self.checked_s < _TRUSTED_S


@dataclass(frozen=True, slots=True)
class _Stamps:
    files: dict[str, _Stamp]


_JSON = Codec((Manifest, _Stamps))


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
        if path.is_file() and path.name not in known and not _is_own(path.name):
            known[path.name] = digest(path)
    manifest = Manifest(**{"id": folder.name, **facts, "files": known})
    write_file(folder / FILE_NAME, sealed(_JSON.encode(manifest)))
    return manifest


def read(folder: Path) -> Manifest:
    """Return the manifest of an installed model.

    Raises:
        ModelMissing: There is no such folder, or it was never finished.
        ModelDamaged: The manifest cannot be read.
    """
    try:
        found = _JSON.decode(unsealed(_small(folder / FILE_NAME)))
    except OSError as error:
        raise ModelMissing(model=folder.name) from error
    except (BadFrame, ValueError) as error:
        raise ModelDamaged(file=FILE_NAME, reason="it is not a manifest") from error
    if not isinstance(found, Manifest):
        raise ModelDamaged(file=FILE_NAME, reason="it is not a manifest")
    return found


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
        ModelDamaged: A file is not what the manifest says, or not in it.
        Cancelled: `cancelled` was set.
    """
    manifest = read(folder)
    _check_strangers(folder, manifest)
    total = sum(expected.bytes for expected in manifest.files.values())
    done = 0
    for name, expected in manifest.files.items():
        check_file(folder / name, expected, cancelled=cancelled)
        done += expected.bytes
        if progress:
            progress(done, total)


class Verifier:
    """Checks a model beside its load, on a thread of its own; the first token waits for it.

    A file with weights whose size and times have not changed since a check within the last day is
    not read again. What steers the runtime, which could crash it, is always read before the load.

    Args:
        folder: An installed model.
        now_s: Seconds since 1970, so that tests can choose the time.
    """

    def __init__(self, folder: Path, *, now_s: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now_s = now_s
        self._later: dict[str, FileDigest] = {}
        self._cancelled = Event()
        self._error: InferenceError | None = None
        self._thread = Thread(target=self._run, name="verifier", daemon=True)

    def start(self) -> None:
        """Read what steers the runtime, in milliseconds, and start reading the weights; once.

        Raises:
            ModelMissing: The model or one of these files is not there.
            ModelDamaged: One of them is not what the manifest says, or a file is not in it.
        """
        manifest = read(self._folder)
        _check_strangers(self._folder, manifest)
        for name, expected in manifest.files.items():
            if name.endswith(_STEERING) and expected.bytes <= _AT_ONCE_BYTES:
                check_file(self._folder / name, expected)
            else:
                self._later[name] = expected
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the verdict, at most `timeout_s`; return whether it is there, and good.

        Raises:
            ModelMissing: The model or one of its files is not there.
            ModelDamaged: A file is not what the manifest says.
            Cancelled: `cancel` was called before the verdict.
        """
        self._thread.join(timeout_s)
        if self._error is not None:
            raise self._error
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """Stop reading within milliseconds."""
        self._cancelled.set()

    def _run(self) -> None:
        try:
            self._check()
        except InferenceError as error:
            self._error = error

    def _check(self) -> None:
        seen = _read_stamps(self._folder)
        fresh: dict[str, _Stamp] = {}
        for name, expected in self._later.items():
            if self._cancelled.is_set():
                raise Cancelled
            stamp = self._stamp(name, expected)
            known = seen.get(name)
            if known is None or not known.covers(stamp):
                check_file(self._folder / name, expected, cancelled=self._cancelled)
                known = stamp
            fresh[name] = known
        if fresh != seen:
            with suppress(OSError):  # a folder that cannot be written is read again the next time
                write_file(self._folder / STAMP_NAME, _JSON.encode(_Stamps(fresh)))

    def _stamp(self, name: str, expected: FileDigest) -> _Stamp:
        try:
            state = (self._folder / name).stat()
        except OSError as error:
            raise ModelMissing(model=self._folder.name) from error
        times = state.st_mtime_ns, self._now_s(), state.st_ctime_ns
        return _Stamp(expected.sha256, state.st_size, *times)


def _read_stamps(folder: Path) -> dict[str, _Stamp]:
    """Without stamps that can be read nothing is trusted, so everything is read again."""
    try:
        found = _JSON.decode(_small(folder / STAMP_NAME))
    except (OSError, BadFrame, ValueError):
        return {}
    return found.files if isinstance(found, _Stamps) else {}


def _small(path: Path) -> bytes:
    """Return a file of Snug's own; ValueError if it cannot be one."""
    with path.open("rb") as file:
        body = file.read(_MAX_BYTES + 1)
    if len(body) > _MAX_BYTES:
        raise ValueError("too large")
    return body


def _check_strangers(folder: Path, manifest: Manifest) -> None:
    """Raise ModelDamaged if the folder has a file that is neither in the manifest nor harmless.

    A chat template or a configuration that was never there before would be obeyed. Folders are
    harmless: nothing in a model's configuration names a place in one.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if not path.is_dir())
    except OSError as error:
        raise ModelMissing(model=folder.name) from error
    for name in names:
        is_of_the_system = name.startswith(".") or name in _OF_THE_SYSTEM
        if name not in manifest.files and not is_of_the_system and not _is_own(name):
            raise ModelDamaged(stranger=name, file=name, reason="it is not in the manifest")


def _is_own(name: str) -> bool:
    return name.removesuffix(_UNFINISHED_SUFFIX) in _OWN
