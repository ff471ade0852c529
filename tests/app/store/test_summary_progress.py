"""Progress of summaries in a real store."""

from concurrent.futures import Future
from pathlib import Path

from app.errors import StoreError, StoreTooNew
from app.store.database import Database
from app.store.summary_progress import KEPT_S, SummaryProgressRows, SummaryProgressStore
from tests.fakes import STORE_KEY, FakeClock


def test_what_was_written_is_found_again_until_it_is_old(tmp_path: Path) -> None:
    database, clock = Database.open(tmp_path / "snug.db", STORE_KEY), FakeClock()
    rows = SummaryProgressRows(database, clock)
    assert rows.get("a") is None
    rows.put("a", b"one")
    rows.put("a", b"two")
    assert rows.get("a") == b"two"
    clock.advance(KEPT_S + 1)
    rows.put("b", b"three")
    assert rows.get("a") is None
    assert rows.get("b") == b"three"
    database.close()


def test_a_store_that_cannot_be_used_only_keeps_nothing() -> None:
    def fail(_do: object) -> "Future[bytes | None]":
        failed: Future[bytes | None] = Future()
        failed.set_exception(StoreTooNew())
        return failed

    store = SummaryProgressStore(fail, FakeClock())
    store.put("a", b"one")
    assert store.get("a") is None
    assert issubclass(StoreTooNew, StoreError)
