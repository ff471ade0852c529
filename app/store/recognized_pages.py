"""Pages that were recognized in images, so that none is recognized twice.

What is kept is the text of a person's documents: it lies in the encrypted store like the documents
themselves, and pages that nothing has asked for in a while are removed.
"""

import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from app.errors import StoreError
from app.ports import Clock
from app.store.database import Database

Do = Callable[[Database], bytes | None]
Run = Callable[[Do], Future[bytes | None]]

KEPT_S = 60 * 24 * 3600.0
_MOST_PAGES = 50_000


class RecognizedPageRows:
    """Finds, keeps and drops pages; belongs to the thread of the database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def get(self, sha256: str, number: int, engine: str) -> bytes | None:
        """Return what was put there, or None."""
        row = self._database.row(
            "select body from recognized_pages where sha256 = ? and number = ? and engine = ?",
            (sha256, number, engine),
        )
        if row is None:
            return None
        self._database.run(
            "update recognized_pages set used_s = ? where sha256 = ? and number = ?",
            (self._clock.now_s(), sha256, number),
        )
        return zlib.decompress(row[0])

    def put(self, sha256: str, number: int, engine: str, page: bytes) -> None:
        """Keep a page, in the place of what another engine made of it."""
        self._database.run(
            "insert into recognized_pages (sha256, number, engine, body, used_s)"
            " values (?, ?, ?, ?, ?) on conflict (sha256, number) do update"
            " set engine = excluded.engine, body = excluded.body, used_s = excluded.used_s",
            (sha256, number, engine, zlib.compress(page, 1), self._clock.now_s()),
        )

    def purge(self, kept_s: float = KEPT_S, most: int = _MOST_PAGES) -> int:
        """Remove what was not used for `kept_s` seconds, and the oldest of more than `most`.

        Returns how many pages were removed.
        """
        old = self._database.run(
            "delete from recognized_pages where used_s < ?", (self._clock.now_s() - kept_s,)
        )
        return old + self._database.run(
            "delete from recognized_pages where rowid in ("
            "select rowid from recognized_pages order by used_s desc limit -1 offset ?)",
            (most,),
        )


class RecognizedPageStore:
    """The same for any thread; each call waits for the thread of the database.

    A store that cannot be used only means that pages are recognized again.
    """

    def __init__(self, run: Run, clock: Clock) -> None:
        """Take `run`, which does something with the database on its thread."""
        self._run = run
        self._clock = clock
        self._is_purged = False

    def get(self, sha256: str, number: int, engine: str) -> bytes | None:
        """Return what was put there, or None."""

        def get(database: Database) -> bytes | None:
            return RecognizedPageRows(database, self._clock).get(sha256, number, engine)

        return self._ask(get)

    def put(self, sha256: str, number: int, engine: str, page: bytes) -> None:
        """Keep a page, in the place of what another engine made of it."""

        def put(database: Database) -> None:
            rows = RecognizedPageRows(database, self._clock)
            rows.put(sha256, number, engine, page)
            if not self._is_purged:
                self._is_purged = True
                rows.purge()

        self._ask(put)

    def _ask(self, do: Do) -> bytes | None:
        try:
            return self._run(do).result()
        except (StoreError, CancelledError):
            return None
