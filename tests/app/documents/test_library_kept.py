"""What the library keeps: whole files, their places, other languages, nothing readable."""

import threading
from pathlib import Path
from typing import cast

import apsw
import pytest

from app.documents.document import ReadDocument
from app.store.database import Database
from app.store.library import ChunkRow, FileRow, LibraryRows
from inference.errors import Cancelled
from tests.app.documents.test_library import WAIT_S, Reads, Store, folder, opened, store

__all__ = ["folder", "store"]


class StopsAt(Reads):
    """Reads until the file of a name, and there waits to be ended."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.reached = threading.Event()

    def __call__(self, path: Path, stop: threading.Event) -> ReadDocument:
        if path.name == self._name:
            self.reached.set()
            stop.wait()
            raise Cancelled
        return super().__call__(path, stop)


def test_a_library_that_was_ended_reads_only_the_rest(store: Store, folder: Path) -> None:
    first = StopsAt("vacation.txt")
    library = opened(store, first)
    library.add(folder).result()
    assert first.reached.wait(WAIT_S)
    library.close()
    rest = Reads()
    again = opened(store, rest)
    assert again.wait(WAIT_S)
    again.close()
    assert (first.names, rest.names) == (["parking.txt"], ["vacation.txt"])


def test_a_file_is_kept_in_whole_or_not_at_all(store: Store) -> None:
    def put(database: Database, sha256: str, last: str) -> None:
        rows = LibraryRows(database)
        file = FileRow(0, Path("/a.txt"), 1, 1, sha256)
        good = ChunkRow('{"page": 1}', "", f"content {sha256}", "[]")
        rows.put(file, (good, ChunkRow('{"page": 2}', "", "the rest", last)), "en")

    store.run(lambda database: put(database, "old", "[]")).result()
    with pytest.raises(apsw.ConstraintError):
        store.run(lambda database: put(database, "new", cast("str", None))).result()
    files = store.run(lambda database: LibraryRows(database).files()).result()
    found = store.run(lambda db: LibraryRows(db).search(["content"], "content", 9)).result()
    assert [file.sha256 for file in files] == ["old"]
    assert len(found) == 1


def test_a_bad_file_is_tried_again_only_when_it_changes(store: Store, folder: Path) -> None:
    (folder / "empty.txt").touch()
    reads = Reads()
    library = opened(store, reads)
    library.add(folder).result()
    assert library.wait(WAIT_S)
    reads.names.clear()
    library.add(folder).result()
    assert library.wait(WAIT_S)
    unchanged = list(reads.names)
    (folder / "empty.txt").write_text("Now the gate has a code.")
    library.add(folder).result()
    assert library.wait(WAIT_S)
    library.close()
    assert (unchanged, reads.names) == ([], ["empty.txt"])
    assert library.state().failed == ()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals.",
            "Welche Kündigungsfrist?",
        ),
        ("社員は毎年二十日の有給休暇を取得できます。", "有給休暇は何日ですか"),
    ],
    ids=["german", "japanese"],
)
def test_other_languages_are_found(store: Store, folder: Path, text: str, question: str) -> None:
    (folder / "other.txt").write_text(text, "utf-8")
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    found = library.search(question)
    library.close()
    assert found.passages[0].name == "other.txt"


def test_rows_of_tables_keep_their_cells(store: Store, folder: Path) -> None:
    rows = ("item;euros;bought", "projector;480;2021", "ladder;95;2022", "desk;210;2023")
    (folder / "costs.csv").write_text("\n".join(rows) + "\n")
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    passage = library.search("projector").passages[0]
    library.close()
    assert passage.name == "costs.csv"
    assert passage.place.cells


def test_nothing_of_the_library_is_readable_in_the_store(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    library = opened(store, Reads())
    library.add(folder).result()
    assert library.wait(WAIT_S)
    library.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("snug.db*"))
    assert kept
    for text in (b"garage", b"parking.txt", b"papers"):
        assert text not in kept
