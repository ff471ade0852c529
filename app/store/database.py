"""The encrypted database: one file, one connection, one thread.

The connection holds SQLite's exclusive lock as long as it is open. A second Snug on the same
folder is therefore refused by the operating system, not by a file that a crash could leave behind;
the lock ends with the process. One thread opens, uses and closes it, so no lock of ours is needed.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from app.store import migrations
from app.store.failures import known_errors

KEY_BYTES = 32
_WAL_LIMIT_BYTES = 16 * 1024 * 1024

Value = str | int | float | bytes | None
Row = tuple[Any, ...]


class Database:
    """An open store; every method belongs to the thread that opened it.

    Each method raises a `StoreError` for what the environment does: StoreFull, StoreReadOnly,
    StoreDamaged, StoreBusy.
    """

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(
        cls, path: Path, key: bytes, *, busy_timeout_s: float = 1.0, version: int | None = None
    ) -> "Database":
        """Open the store at `path`, making it where there is none, and bring its schema up to date.

        An older `version` of the schema is for tests of the way from there.

        Raises:
            WrongKey: The key does not open it; a damaged first page looks the same.
            StoreBusy: Another process has had it open for longer than `busy_timeout_s`.
            StoreTooNew: A newer Snug wrote it.
            StoreError: Any other reason of the environment.
        """
        if len(key) != KEY_BYTES:
            raise ValueError("a store's key has 32 bytes")
        with known_errors(path):
            _make_file(path)
            connection = apsw.Connection(
                str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            )
        database = cls(connection, path)
        try:
            with known_errors(path, connection):
                connection.set_busy_timeout(int(busy_timeout_s * 1000))
                _unlock(connection, key)
                _configure(connection)
            migrations.migrate(database, upto=version)
        except BaseException:
            connection.close(True)
            raise
        return database

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row of a query."""
        with known_errors(self.path, self._connection):
            return list(self._connection.execute(sql, _storable(values)))

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        with known_errors(self.path, self._connection):
            self._connection.execute(sql, _storable(values))
            return self._connection.changes()

    def run_many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Execute one statement for each of `rows`."""
        with known_errors(self.path, self._connection):
            self._connection.executemany(sql, [_storable(row) for row in rows])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that happens inside or nothing of it; inside another one it joins that."""
        if self._is_inside():
            yield
            return
        self.run("begin immediate")
        try:
            yield
            self.run("commit")
        except BaseException:
            # SQLite rolls back by itself on a full disk; a second rollback would be an error.
            if self._is_inside():
                self.run("rollback")
            raise

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go of both."""
        with known_errors(self.path, self._connection):
            self._connection.close()

    def _is_inside(self) -> bool:
        return self._connection.in_transaction


def _storable(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return `values` with a `?` for each lone surrogate, which file names and pastes can hold."""
    return tuple(
        value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    )


def _make_file(path: Path) -> None:
    """Make folder and file readable by their owner only, before SQLite makes them otherwise."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _unlock(connection: apsw.Connection, key: bytes) -> None:
    connection.pragma("cipher", "chacha20")
    try:
        connection.pragma("key", f"raw:{key.hex()}")
    except apsw.Error as error:
        failure = type(error)("the key was refused")
    else:
        return
    # Outside the handler, so that no traceback leads to the statement that held the key.
    raise failure


def _configure(connection: apsw.Connection) -> None:
    """Set what the connection lives by; the first statement that reads is where a key fails."""
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("temp_store", "memory")
    connection.pragma("trusted_schema", value=False)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("secure_delete", value=True)
    connection.pragma("foreign_keys", value=True)
    connection.pragma("journal_size_limit", _WAL_LIMIT_BYTES)
