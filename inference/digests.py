"""SHA-256 of files, and files that are whole or not there."""

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from inference.errors import Cancelled, ModelDamaged, ModelMissing

_CHUNK_BYTES = 1 << 20
_SEAL = re.compile(rb', "checksum": "([0-9a-f]{64})"\}\Z')


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What a file must be: hexadecimal SHA-256, and its size."""

    sha256: str
    bytes: int


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


def check_file(path: Path, expected: FileDigest, *, cancelled: Event | None = None) -> None:
    """Compare a model's file with its digest.

    Raises:
        ModelMissing: It cannot be read.
        ModelDamaged: It is another one.
        Cancelled: `cancelled` was set.
    """
    try:
        if path.stat().st_size != expected.bytes:
            raise ModelDamaged(file=path.name, reason="its size is not the one in the manifest")
        found = digest(path, cancelled=cancelled)
    except OSError as error:
        raise ModelMissing(model=path.parent.name) from error
    if found != expected:
        raise ModelDamaged(file=path.name, reason="its SHA-256 is not the one in the manifest")


def sealed(body: bytes) -> bytes:
    """Return a JSON object of one line with the SHA-256 of what stands before it as its last field.

    It is there against damage, not against whoever may write the file.
    """
    front = body[:-1]
    return front + b', "checksum": "%s"}' % hashlib.sha256(front).hexdigest().encode()


def unsealed(raw: bytes) -> bytes:
    """Return what was sealed; what never was is returned as it is.

    A seal with a damaged byte in it is one more field, which nobody knows.

    Raises:
        ValueError: Something before the seal is not what was sealed.
    """
    seal = _SEAL.search(raw)
    if seal is None:
        return raw
    front = raw[: seal.start()]
    if hashlib.sha256(front).hexdigest().encode() != seal[1]:
        raise ValueError("a broken seal")
    return front + b"}"


def write_file(path: Path, body: bytes | Iterable[bytes]) -> FileDigest:
    """Write a file so that it is whole or not there, and on the disk; return its digest.

    Args:
        path: The file.
        body: All of it, or parts that are written as they come.

    Raises:
        OSError: It cannot be written.
    """
    fresh = path.with_name(f"{path.name}.new")
    checksum, size = hashlib.sha256(), 0
    with fresh.open("wb") as file:
        for part in (body,) if isinstance(body, bytes) else body:
            file.write(part)
            checksum.update(part)
            size += len(part)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    return FileDigest(checksum.hexdigest(), size)
