import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    StoreTooNew,
    WrongKey,
)
from app.store import migrations
from app.store.database import Database
from tests.fakes import STORE_KEY

ROOT = Path(__file__).parents[3]
MARKER = "Geheimnis-7d1f"


def python(code: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, *(str(argument) for argument in arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def add_notes(database: Database, count: int = 1, text: str = MARKER) -> None:
    database.run("create table if not exists notes (text text)")
    database.run_many("insert into notes values (?)", [(text,)] * count)


def test_the_store_lives_by_its_rules(database: Database) -> None:
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "foreign_keys": 1,
        "temp_store": 2,
        "locking_mode": "exclusive",
        "cipher": "chacha20",
    }
    assert {name: database.row(f"pragma {name}") for name in expected} == {
        name: (value,) for name, value in expected.items()
    }


def test_nothing_can_be_read_from_the_files(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    database = Database.open(path, STORE_KEY)
    add_notes(database, 500)
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert len(files) > 1, "the write-ahead log should be there"
    content = b"".join(file.read_bytes() for file in files)
    database.close()
    content += path.read_bytes()
    assert len(content) > 10_000
    for plain in (MARKER.encode(), b"create table", b"CREATE TABLE", b"SQLite format", STORE_KEY):
        assert plain not in content


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_only_the_owner_can_reach_the_files(tmp_path: Path) -> None:
    path = tmp_path / "data" / "snug.db"
    database = Database.open(path, STORE_KEY)
    add_notes(database)
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    folder_mode = path.parent.stat().st_mode & 0o777
    database.close()
    assert modes == {"snug.db": 0o600, "snug.db-wal": 0o600}
    assert folder_mode == 0o700


def test_a_wrong_key_opens_nothing_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    Database.open(path, STORE_KEY).close()
    before = path.read_bytes()
    with pytest.raises(WrongKey):
        Database.open(path, bytes(32))
    assert path.read_bytes() == before
    Database.open(path, STORE_KEY).close()


def test_no_error_leads_to_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "snug.db"
    Database.open(path, STORE_KEY).close()
    key = b"\xab" * 32
    with pytest.raises(WrongKey) as caught:
        Database.open(path, key)
    error: BaseException | None = caught.value
    while error is not None:
        assert key.hex() not in f"{error!r}{error.args}"
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.endswith((".py", ".c")):
                texts = [value for value in trace.tb_frame.f_locals.values() if type(value) is str]
                assert not any(key.hex() in text for text in texts)
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


def test_a_key_of_another_length_is_our_own_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Database.open(tmp_path / "snug.db", b"short")


HOLD = """
import sys
from pathlib import Path
from app.store.database import Database
from tests.fakes import STORE_KEY
database = Database.open(Path(sys.argv[1]), STORE_KEY)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_that_the_store_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    with python(HOLD, path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy):
            Database.open(path, STORE_KEY, busy_timeout_s=0.05)
        child.kill()
        child.wait()
    Database.open(path, STORE_KEY).close()


def test_a_transaction_keeps_everything_or_nothing(database: Database) -> None:
    def fail_in_the_middle() -> None:
        with database.transaction():
            add_notes(database, 3)
            database.run("nonsense")

    add_notes(database)
    with pytest.raises(apsw.SQLError):
        fail_in_the_middle()
    with database.transaction(), database.transaction():
        add_notes(database, 2)
    assert database.row("select count(*) from notes") == (3,)


def test_a_wrong_statement_is_our_own_mistake(database: Database) -> None:
    with pytest.raises(apsw.SQLError):
        database.run("select nonsense from nowhere")


WRITE = """
import sys
from pathlib import Path
from app.store.database import Database
from tests.fakes import STORE_KEY
database = Database.open(Path(sys.argv[1]), STORE_KEY)
database.run("create table if not exists notes (text text)")
(start,) = database.row("select count(*) from notes")
for number in range(start + 1, 1_000_000):
    database.run("insert into notes values (?)", (f"note {number} " * 20,))
    print(number, flush=True)
"""


def test_what_was_committed_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    for wanted in (40, 60, 80):
        with python(WRITE, path) as child:
            assert child.stdout is not None
            for line in child.stdout:
                if int(line) >= wanted:
                    break
            child.send_signal(signal.SIGKILL)
            said = int((line + child.stdout.read()).split()[-1])
        database = Database.open(path, STORE_KEY)
        assert (database.row("select count(*) from notes") or (0,))[0] >= said
        assert database.row("pragma integrity_check") == ("ok",)
        database.close()


FILL = """
import resource, sys
from pathlib import Path
from app.errors import StoreFull
from app.store.database import Database
from tests.fakes import STORE_KEY
database = Database.open(Path(sys.argv[1]), STORE_KEY)
database.run("create table notes (text text)")
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
kept = 0
try:
    while kept < 10_000:
        with database.transaction():
            database.run("insert into notes values (?)", ("x" * 5000,))
        kept += 1
except StoreFull:
    print(kept, database.row("select count(*) from notes")[0])
"""


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    with python(FILL, path) as child:
        assert child.stdout is not None
        kept, seen = map(int, child.stdout.read().split())
    assert kept == seen > 10
    database = Database.open(path, STORE_KEY)
    assert database.row("select count(*) from notes") == (kept,)
    add_notes(database)
    database.close()


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Be somebody for whom a read-only folder is read-only, and have a folder of theirs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="modes of folders are POSIX")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    with ordinary_user() as folder:
        folder.chmod(0o500)
        with pytest.raises(StoreReadOnly) as caught:
            Database.open(folder / "snug.db", STORE_KEY)
        assert caught.value.facts == {"folder": str(folder)}
        with pytest.raises(StoreReadOnly):
            Database.open(folder / "data" / "snug.db", STORE_KEY)
        folder.chmod(0o700)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_a_store_that_cannot_be_written_is_read_only() -> None:
    with ordinary_user() as folder:
        path = folder / "snug.db"
        Database.open(path, STORE_KEY).close()
        path.chmod(0o400)
        folder.chmod(0o500)
        with pytest.raises(StoreReadOnly):
            Database.open(path, STORE_KEY)
        folder.chmod(0o700)


def test_a_file_where_the_folder_should_be_is_a_known_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"")
    with pytest.raises(StoreError):
        Database.open(tmp_path / "data" / "snug.db", STORE_KEY)


@pytest.fixture(scope="module")
def a_store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("store") / "snug.db"
    database = Database.open(path, STORE_KEY)
    add_notes(database, 400, "a note that fills some pages of the file " * 5)
    database.close()
    return path.read_bytes()


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["flip", "cut", "zero"]),
    share=st.floats(0, 1, exclude_max=True),
    bit=st.integers(0, 7),
)
def test_damage_is_seen_and_never_read_as_something_else(
    a_store: bytes, tmp_path_factory: pytest.TempPathFactory, kind: str, share: float, bit: int
) -> None:
    content = bytearray(a_store)
    place = int(share * len(content))
    if kind == "flip":
        content[place] ^= 1 << bit
    elif kind == "cut":
        del content[max(2, place) :]  # SQLite takes one byte for none
    else:
        content[place : place + 512] = bytes(len(content[place : place + 512]))
    path = tmp_path_factory.mktemp("damaged") / "snug.db"
    path.write_bytes(content)
    try:
        database = Database.open(path, STORE_KEY)
    except (StoreDamaged, WrongKey):
        return
    try:
        rows = database.rows("select text from notes")
        assert set(rows) <= {("a note that fills some pages of the file " * 5,)}
    except StoreDamaged:
        pass
    finally:
        database.close()


def test_a_store_of_every_age_is_brought_up_to_date(tmp_path: Path, database: Database) -> None:
    schema = "select type, name, sql from sqlite_schema order by name"
    newest = database.rows(schema)
    for version in range(len(migrations.MIGRATIONS)):
        path = tmp_path / f"version{version}.db"
        old = Database.open(path, STORE_KEY, version=version)
        assert old.row("pragma user_version") == (version,)
        old.close()
        database = Database.open(path, STORE_KEY)
        assert database.rows(schema) == newest
        assert database.row("pragma user_version") == (len(migrations.MIGRATIONS),)
        database.close()


def test_a_migration_that_fails_leaves_the_old_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "snug.db"
    Database.open(path, STORE_KEY).close()

    def breaks(database: Database) -> None:
        database.run("create table half (a)")
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, breaks))
        with pytest.raises(RuntimeError):
            Database.open(path, STORE_KEY)
    database = Database.open(path, STORE_KEY)
    assert database.row("select count(*) from sqlite_schema where name = 'half'") == (0,)
    database.close()


def test_a_store_of_a_newer_snug_is_left_alone(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "snug.db"
    database.run("pragma user_version = 999")
    database.close()
    with pytest.raises(StoreTooNew):
        Database.open(path, STORE_KEY)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text())
@example("\x00 and after")
@example("a lone \ud800 surrogate")
def test_every_text_comes_back_as_it_was(database: Database, text: str) -> None:
    database.run("create table if not exists texts (text text) strict")
    database.run("delete from texts")
    database.run("insert into texts values (?)", (text,))
    assert database.row("select text from texts") == (text.encode("utf-8", "replace").decode(),)
