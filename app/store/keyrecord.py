"""The file that says where the store's key is, and holds it where nothing better can.

It also holds a check value of the key, so that a wrong key is known before the database is touched,
and a damaged database is not taken for a wrong key. The check value tells nothing about 32 random
bytes.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.atomic import write_atomically
from app.errors import StoreDamaged, WrongKey
from app.store.failures import known_errors
from app.store.wrapping import WrappedKey
from inference.errors import BadFrame
from inference.frames import Codec

KeyKind = Literal["keyring", "passphrase", "key_file"]


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """Where the key is.

    Attributes:
        check: What `check_of` gives for the right key.
        entry: Name of the keyring's entry.
        wrapped: The key, sealed with a passphrase.
        key: The key itself as hexadecimal digits, in a key file only.
    """

    kind: KeyKind
    check: str
    entry: str = ""
    wrapped: WrappedKey | None = None
    key: str = field(default="", repr=False)


_CODEC = Codec((KeyRecord,))


def check_of(key: bytes) -> str:
    """Return the check value of a key."""
    return hashlib.blake2b(key, digest_size=16, person=b"snug key check").hexdigest()


def checked(key: bytes, record: KeyRecord) -> bytes:
    """Return `key` if it is the one that `record` is about.

    Raises:
        WrongKey: It is another one.
    """
    if check_of(key) != record.check:
        raise WrongKey
    return key


def read(path: Path) -> KeyRecord | None:
    """Return the record, or None where there is none yet.

    Raises:
        StoreDamaged: There is something else.
        StoreReadOnly: The system lets nobody read it.
    """
    with known_errors(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        record: KeyRecord = _CODEC.decode(content)
    except BadFrame as error:
        raise StoreDamaged from error
    return record


def write(path: Path, record: KeyRecord) -> None:
    """Keep a record for a new key, or the same key in another way; never in place of another key.

    Raises:
        FileExistsError: There is a record of another key, perhaps since a moment ago.
        StoreError: It could not be written.
    """
    known = read(path)
    if known is not None and known.check != record.check:
        raise FileExistsError(path)
    with known_errors(path, passing=FileExistsError):
        write_atomically(path, _CODEC.encode(record), replace=known is not None)
