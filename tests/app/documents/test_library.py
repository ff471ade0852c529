"""Folders that stay indexed, on a real store, with real document processes."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.children import Verb, command
from app.documents.document import ReadDocument
from app.documents.library import Library
from app.documents.reader import read_document
from app.store.database import Database
from inference import child
from inference.child import Child
from inference.embedding import EmbeddingClient
from tests.fakes import STORE_KEY

T = TypeVar("T")
WAIT_S = 60.0


class Store:
    """A store on a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.executor = ThreadPoolExecutor(1)
        self.database = self.executor.submit(Database.open, path, STORE_KEY).result()

    def run(self, do: Callable[[Database], T]) -> "Future[T]":
        return self.executor.submit(do, self.database)

    def close(self) -> None:
        self.executor.submit(self.database.close).result()
        self.executor.shutdown()


class Reads:
    """Reads documents in their process, and notes which."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, path: Path, stop: threading.Event) -> ReadDocument:
        self.names.append(path.name)
        return read_document(path, launch=lambda: child.start(command("document")), cancelled=stop)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "snug.db")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "vacation.txt").write_text("Employees get thirty days of paid leave a year.\n" * 3)
    (made / "parking.txt").write_text("The garage closes at ten in the evening.\n" * 3)
    return made


def no_embedding() -> EmbeddingClient:
    return EmbeddingClient(lambda: child.start(command("embed")), lambda: None)


def opened(store: Store, reads: Any, embedding: EmbeddingClient | None = None) -> Library:
    library = Library(store.run, reads, embedding or no_embedding(), look_every_s=3600)
    library.start()
    return library


def test_a_folder_is_searched_once_it_was_added(store: Store, folder: Path) -> None:
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    found = library.search("When is the garage shut?")
    library.close()
    assert found.passages[0].name == "parking.txt"
    assert found.by == "words"
    assert library.state().indexed == 2


def test_only_what_changed_is_read_again(store: Store, folder: Path) -> None:
    reads = Reads()
    library = opened(store, reads)
    library.add(folder).result()
    assert library.wait(WAIT_S)
    (folder / "parking.txt").write_text("The garage now closes at midnight, on Sundays too.")
    (folder / "vacation.txt").rename(folder / "holidays.txt")
    reads.names.clear()
    library.add(folder).result()
    assert library.wait(WAIT_S)
    found = library.search("paid leave")
    midnight = library.search("midnight")
    library.close()
    assert reads.names == ["parking.txt"]
    assert found.passages[0].name == "holidays.txt"
    assert midnight.passages


def test_what_was_deleted_is_found_no_more(store: Store, folder: Path) -> None:
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    (folder / "parking.txt").unlink()
    library.add(folder).result()
    assert library.wait(WAIT_S)
    after_file = library.search("garage")
    shutil.rmtree(folder)
    library.remove(folder).result()
    assert library.wait(WAIT_S)
    chunks = store.run(lambda db: db.rows("select count(*) from library_chunks")).result()
    library.close()
    assert not after_file.passages
    assert chunks == [(0,)]
    assert library.folders() == ()


def test_a_bad_file_is_listed_and_stops_nothing(store: Store, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(400))
    (folder / "empty.txt").touch()
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    view = library.state()
    library.close()
    assert {each.name for each in view.failed} == {"broken.pdf", "empty.txt"}
    assert (view.files, view.indexed) == (4, 2)


def test_a_paused_library_goes_on_where_it_was(store: Store, folder: Path) -> None:
    reads = Reads()
    library = opened(store, reads)
    library.pause()
    library.add(folder).result()
    assert library.state().paused
    library.resume()
    assert library.wait(WAIT_S)
    library.close()
    again = opened(store, reads)
    assert again.wait(WAIT_S)
    again.close()
    assert sorted(reads.names) == ["parking.txt", "vacation.txt"]
    assert again.state().indexed == 2


def test_meaning_finds_what_words_miss(
    store: Store, folder: Path, embedding_model: Path, launch: Callable[[Verb], Child]
) -> None:
    client = EmbeddingClient(lambda: launch("embed"), lambda: embedding_model)
    library = opened(store, Reads(), client)
    library.add(folder).result()
    assert library.wait(WAIT_S)
    found = library.search("How much vacation do workers receive?")
    library.close()
    client.close()
    assert found.by == "words_and_meaning"
    assert found.passages[0].name == "vacation.txt"


def test_chinese_is_found_without_spaces(store: Store, folder: Path) -> None:
    (folder / "zh.txt").write_text("员工每年享有三十天带薪休假。停车场晚上十点关闭。", "utf-8")
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    found = library.search("带薪休假有多少天？")
    library.close()
    assert [each.name for each in found.passages] == ["zh.txt"]
