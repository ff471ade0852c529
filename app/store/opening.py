"""The store, found, unlocked and open."""

from app.errors import StoreDamaged, WrongKey
from app.paths import Paths
from app.store.database import Database
from app.store.keystore import open_key


def open_store(
    paths: Paths, *, passphrase: str | None = None, allow_key_file: bool = False
) -> Database:
    """Open the store, making it the first time; belongs to the thread that will use it.

    Raises:
        StoreError: As `open_key` and `Database.open` say.
    """
    key = open_key(paths, passphrase=passphrase, allow_key_file=allow_key_file)
    try:
        return Database.open(paths.store, key)
    except WrongKey as error:
        # The key has been checked, so it is the file that is wrong.
        raise StoreDamaged from error
