"""What was written of a summary so far, so that a run that was cut off is gone on with.

It is text about a person's documents and lies in the encrypted store like the documents themselves;
what nothing has asked for in a while is removed.
"""

from collections.abc import Callable
from concurrent.futures import Future

from app.errors import StoreError
from app.ports import Clock
from app.store.database import Database

Do = Callable[[Database], bytes | None]
Run = Callable[[Do], Future[bytes | None]]

KEPT_S = 30 * 24 * 3600.0


class SummaryProgressRows:
    """Finds, keeps and drops progress; belongs to the thread of the database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def get(self, key: str) -> bytes | None:
        """Return what was put there, or None."""
        row = self._database.row("select body from summary_progress where key = ?", (key,))
        return None if row is None else bytes(row[0])

    def put(self, key: str, body: bytes) -> None:
        """Keep `body` in the place of what was there, and drop what is old."""
        now_s = self._clock.now_s()
        self._database.run(
            "insert into summary_progress (key, body, used_s) values (?, ?, ?)"
            " on conflict (key) do update set body = excluded.body, used_s = excluded.used_s",
            (key, body, now_s),
        )
        self._database.run("delete from summary_progress where used_s < ?", (now_s - KEPT_S,))


class SummaryProgressStore:
    """The `SummaryProgress` of the program, for any thread; each call waits for the database's.

    A store that cannot be used only means that what was cut off is written again.
    """

    def __init__(self, run: Run, clock: Clock) -> None:
        """Take `run`, which does something with the database on its thread."""
        self._run = run
        self._clock = clock

    def get(self, key: str) -> bytes | None:
        """Return what is kept, or None."""
        return self._ask(lambda database: SummaryProgressRows(database, self._clock).get(key))

    def put(self, key: str, body: bytes) -> None:
        """Keep `body`."""

        def put(database: Database) -> None:
            SummaryProgressRows(database, self._clock).put(key, body)

        self._ask(put)

    def _ask(self, do: Do) -> bytes | None:
        try:
            return self._run(do).result()
        except StoreError:
            return None
