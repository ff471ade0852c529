"""What a window knows of the key: how it is kept, and what a person has just said about it."""

import threading

from app.errors import StoreError
from app.paths import Paths
from app.store.database import Database
from app.store.keyrecord import KeyKind
from app.store.keystore import key_kind
from app.store.opening import open_store


class Unlocking:
    """Opens the store with what has been said so far; any thread may say it.

    A passphrase is forgotten as soon as it has been tried: a right one is in the open database, and
    a wrong one must not be tried again by itself.
    """

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._passphrase: str | None = None
        self._allow_key_file = False
        self._kind: KeyKind | None = None

    @property
    def kind(self) -> KeyKind | None:
        """How the key is kept, as of the last time the store was opened or could not be."""
        return self._kind

    def use_passphrase(self, passphrase: str) -> None:
        """Open the store with this passphrase, or seal a new store's key with it."""
        with self._lock:
            self._passphrase = passphrase

    def use_key_file(self) -> None:
        """Keep a new store's key in a file."""
        with self._lock:
            self._allow_key_file = True

    def open(self) -> Database:
        """Open the store, making it the first time; belongs to the thread that will use it.

        Raises:
            StoreError: As `open_store` says.
        """
        with self._lock:
            passphrase, self._passphrase = self._passphrase, None
            allow_key_file = self._allow_key_file
        try:
            return open_store(self._paths, passphrase=passphrase, allow_key_file=allow_key_file)
        finally:
            self._kind = self._look()

    def _look(self) -> KeyKind | None:
        try:
            return key_kind(self._paths)
        except StoreError:
            return None
