from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from app.errors import StoreBusy
from app.store.database import Database
from app.store.recognized_pages import RecognizedPageRows, RecognizedPageStore
from tests.fakes import STORE_KEY

DAY_S = 24 * 3600.0


class Calendar:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.time_s = 1000.0

    def now_s(self) -> float:
        return self.time_s


@pytest.fixture
def clock() -> Calendar:
    return Calendar()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    # From the version before, so that the step to it is taken.
    Database.open(tmp_path / "snug.db", STORE_KEY, version=2).close()
    opened = Database.open(tmp_path / "snug.db", STORE_KEY)
    yield opened
    opened.close()


def test_a_page_is_found_by_file_number_and_engine(database: Database, clock: Calendar) -> None:
    pages = RecognizedPageRows(database, clock)
    pages.put("aa", 1, "engine/1", b"first page")
    pages.put("aa", 2, "engine/1", b"second page")
    assert pages.get("aa", 1, "engine/1") == b"first page"
    assert pages.get("aa", 2, "engine/1") == b"second page"
    assert pages.get("aa", 3, "engine/1") is None
    assert pages.get("bb", 1, "engine/1") is None
    assert pages.get("aa", 1, "engine/2") is None


def test_a_newer_engine_takes_the_place_of_an_older_one(
    database: Database, clock: Calendar
) -> None:
    pages = RecognizedPageRows(database, clock)
    pages.put("aa", 1, "engine/1", b"old")
    pages.put("aa", 1, "engine/2", b"new")
    assert pages.get("aa", 1, "engine/2") == b"new"
    assert database.row("select count(*) from recognized_pages") == (1,)


def test_what_nobody_asked_for_in_a_while_is_removed(database: Database, clock: Calendar) -> None:
    pages = RecognizedPageRows(database, clock)
    for number in (1, 2, 3):
        pages.put("aa", number, "engine", b"page")
    clock.time_s += 40 * DAY_S
    pages.get("aa", 2, "engine")
    clock.time_s += 40 * DAY_S
    assert pages.purge() == 2
    assert pages.get("aa", 2, "engine") == b"page"
    pages.put("aa", 4, "engine", b"page")
    clock.time_s += 1
    pages.put("aa", 5, "engine", b"page")
    assert pages.purge(most=1) == 2
    assert pages.get("aa", 5, "engine") == b"page"


def test_any_thread_may_ask_and_a_store_that_fails_knows_nothing(
    database: Database, clock: Calendar
) -> None:
    failure: list[Exception] = []

    def run(do: Callable[[Database], bytes | None]) -> "Future[bytes | None]":
        done: Future[bytes | None] = Future()
        if failure:
            done.set_exception(failure[0])
        else:
            done.set_result(do(database))
        return done

    pages = RecognizedPageStore(run, clock)
    pages.put("aa", 1, "engine", b"page")
    assert pages.get("aa", 1, "engine") == b"page"
    failure.append(StoreBusy())
    pages.put("aa", 2, "engine", b"page")
    assert pages.get("aa", 1, "engine") is None
