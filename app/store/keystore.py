"""The places for the store's key, and which of them is used.

The operating system's keyring where there is one. Without it a person chooses: a passphrase that
seals the key, or a file that only they can read, which is plainly weaker, because whoever can read
their files can read their conversations. What a person or a script asks for by giving a passphrase
comes before the keyring.
"""

import os
import secrets
import stat
from pathlib import Path

from app.errors import KeyExposed, KeyNeeded, KeyringLocked, WrongKey
from app.paths import Paths
from app.ports import KeyStore
from app.store import keyrecord
from app.store.keyrecord import KeyKind, KeyRecord, check_of, checked
from app.store.wrapping import unwrap, wrap

PASSPHRASE_FILE_VARIABLE = "SNUG_PASSPHRASE_FILE"  # noqa: S105 - the name of a variable
KEY_BYTES = 32
_SERVICE = "Snug"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyringStore:
    """The system's keyring; may wait for a person to unlock it, so never on the window's thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes | None:
        """Return the key.

        Raises:
            KeyringLocked: The keyring cannot be reached or stays locked.
            WrongKey: The entry is gone, or holds another key.
        """
        import keyring  # noqa: PLC0415 - 80 ms that belong to this thread, not to the start
        from keyring.errors import KeyringError  # noqa: PLC0415

        record = keyrecord.read(self._path)
        if record is None or record.kind != "keyring":
            return None
        try:
            kept = keyring.get_password(_SERVICE, record.entry)
        except KeyringError as error:
            raise KeyringLocked from error
        return checked(_from_hex(kept or ""), record)

    def save(self, key: bytes) -> None:
        """Keep the key.

        Raises:
            KeyNeeded: There is no keyring, or none that keeps what it is given.
        """
        import keyring  # noqa: PLC0415 - as above
        from keyring.errors import KeyringError  # noqa: PLC0415

        entry = secrets.token_hex(8)
        try:
            if keyring.get_keyring().priority < 1:
                raise KeyNeeded
            keyring.set_password(_SERVICE, entry, key.hex())
            kept = keyring.get_password(_SERVICE, entry)
        except (KeyringError, RuntimeError) as error:
            raise KeyNeeded from error
        if kept != key.hex():
            raise KeyNeeded
        keyrecord.write(self._path, KeyRecord("keyring", check_of(key), entry=entry))


class PassphraseStore:
    """A file that holds the key sealed with a passphrase."""

    def __init__(self, path: Path, passphrase: str) -> None:
        self._path = path
        self._passphrase = passphrase

    def load(self) -> bytes | None:
        """Return the key.

        Raises:
            WrongKey: This is not the passphrase.
        """
        record = keyrecord.read(self._path)
        if record is None or record.wrapped is None:
            return None
        return checked(unwrap(record.wrapped, self._passphrase), record)

    def save(self, key: bytes) -> None:
        """Keep the key, or seal the same key with this passphrase from now on.

        Raises:
            KeyNeeded: The passphrase is empty.
        """
        if not self._passphrase:
            raise KeyNeeded
        wrapped = wrap(key, self._passphrase)
        keyrecord.write(self._path, KeyRecord("passphrase", check_of(key), wrapped=wrapped))


class KeyFileStore:
    """A file that holds the key as it is, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes | None:
        """Return the key.

        Raises:
            KeyExposed: Others can read the file.
        """
        record = keyrecord.read(self._path)
        if record is None or record.kind != "key_file":
            return None
        if os.name == "posix" and self._path.stat().st_mode & _OTHERS:
            raise KeyExposed(file=str(self._path))
        return checked(_from_hex(record.key), record)

    def save(self, key: bytes) -> None:
        """Keep the key."""
        keyrecord.write(self._path, KeyRecord("key_file", check_of(key), key=key.hex()))


def key_kind(paths: Paths) -> KeyKind | None:
    """Return how the key is kept, or None where there is no store yet."""
    record = keyrecord.read(paths.key_file)
    return record.kind if record else None


def open_key(paths: Paths, *, passphrase: str | None = None, allow_key_file: bool = False) -> bytes:
    """Return the store's key; a store that is still to be made gets a new one.

    Args:
        paths: Where store and key are.
        passphrase: What a person entered; None takes the one in the file that SNUG_PASSPHRASE_FILE
            names, where it does.
        allow_key_file: A person chose a key file for a new store, in case there is no keyring.

    Raises:
        KeyNeeded: There is no keyring, or a passphrase is needed and was not given.
        WrongKey: The passphrase is wrong, or the key of this store is gone.
        KeyringLocked: The keyring that holds the key cannot be reached.
        KeyExposed: Others can read the key file.
        StoreError: The key's file cannot be read or written.
    """
    given = passphrase if passphrase is not None else _passphrase_from_file()
    kind = key_kind(paths)
    if kind is None:
        return _new_key(paths, given, allow_key_file=allow_key_file)
    if kind == "passphrase" and not given:
        raise KeyNeeded
    key = _place(kind, paths.key_file, given or "").load()
    if key is None:
        raise WrongKey
    return key


def _new_key(paths: Paths, passphrase: str | None, *, allow_key_file: bool) -> bytes:
    if paths.store.exists() and paths.store.stat().st_size:
        raise WrongKey
    key = secrets.token_bytes(KEY_BYTES)
    try:
        try:
            kind: KeyKind = "keyring" if passphrase is None else "passphrase"
            _place(kind, paths.key_file, passphrase or "").save(key)
        except KeyNeeded:
            if not allow_key_file:
                raise
            KeyFileStore(paths.key_file).save(key)
    except FileExistsError:
        # Another Snug has made one since we looked; it is the one that counts.
        return open_key(paths, passphrase=passphrase)
    return key


def _place(kind: KeyKind, path: Path, passphrase: str) -> KeyStore:
    match kind:
        case "keyring":
            return KeyringStore(path)
        case "passphrase":
            return PassphraseStore(path, passphrase)
        case "key_file":
            return KeyFileStore(path)


def _passphrase_from_file() -> str | None:
    """Return the first line of the file a script named, or None where none is named.

    Raises:
        KeyNeeded: The file that is named cannot be read.
    """
    name = os.environ.get(PASSPHRASE_FILE_VARIABLE)
    if not name:
        return None
    try:
        content = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KeyNeeded from error
    return content.split("\n", 1)[0].rstrip("\r")


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
