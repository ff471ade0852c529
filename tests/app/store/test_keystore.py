import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import KeyExposed, KeyNeeded, KeyringLocked, StoreDamaged, WrongKey
from app.paths import Paths
from app.store.database import Database
from app.store.keystore import (
    PASSPHRASE_FILE_VARIABLE,
    KeyFileStore,
    KeyringStore,
    PassphraseStore,
    key_kind,
    open_key,
)
from app.store.opening import open_store
from app.store.wrapping import WrappedKey, unwrap
from tests.fake_keyring import MemoryKeyring
from tests.fakes import STORE_KEY as KEY

SECRET = "correct horse battery staple"


def test_the_keyring_keeps_the_key_of_a_new_store(
    paths: Paths, system_keyring: MemoryKeyring
) -> None:
    key = open_key(paths)
    assert len(key) == 32
    assert key_kind(paths) == "keyring"
    assert open_key(paths) == key
    assert key.hex() not in paths.key_file.read_text(encoding="utf-8")


def test_two_data_folders_have_two_entries_in_the_keyring(
    tmp_path: Path, system_keyring: MemoryKeyring
) -> None:
    first, second = Paths(tmp_path / "a"), Paths(tmp_path / "b")
    assert open_key(first) != open_key(second)
    assert open_key(first) == open_key(first)
    assert len(system_keyring.entries) == 2


def test_a_locked_keyring_is_a_known_error_and_no_new_key_is_made(
    paths: Paths, system_keyring: MemoryKeyring
) -> None:
    key = open_key(paths)
    system_keyring.is_locked = True
    with pytest.raises(KeyringLocked):
        open_key(paths)
    system_keyring.is_locked = False
    assert open_key(paths) == key


def test_a_key_that_was_taken_from_the_keyring_is_a_wrong_key(
    paths: Paths, system_keyring: MemoryKeyring
) -> None:
    open_key(paths)
    system_keyring.entries.clear()
    with pytest.raises(WrongKey):
        open_key(paths)


def test_a_keyring_that_forgets_is_not_used(paths: Paths, system_keyring: MemoryKeyring) -> None:
    system_keyring.get_password = lambda *_: None  # type: ignore[method-assign]
    with pytest.raises(KeyNeeded):
        open_key(paths)
    assert key_kind(paths) is None


@pytest.mark.usefixtures("no_keyring")
def test_without_a_keyring_a_person_is_asked(paths: Paths) -> None:
    with pytest.raises(KeyNeeded):
        open_key(paths)
    assert not paths.key_file.exists()


@pytest.mark.usefixtures("no_keyring")
def test_a_passphrase_seals_the_key(paths: Paths) -> None:
    key = open_key(paths, passphrase=SECRET)
    assert key_kind(paths) == "passphrase"
    assert open_key(paths, passphrase=SECRET) == key
    with pytest.raises(WrongKey):
        open_key(paths, passphrase="correct horse")
    with pytest.raises(KeyNeeded):
        open_key(paths)
    kept = paths.key_file.read_text(encoding="utf-8")
    assert key.hex() not in kept
    assert SECRET not in kept


def test_the_sealing_is_as_dear_as_promised(paths: Paths) -> None:
    PassphraseStore(paths.key_file, SECRET).save(KEY)
    wrapped = json.loads(paths.key_file.read_text(encoding="utf-8"))["wrapped"]
    assert (wrapped["memory_kib"], wrapped["iterations"], wrapped["lanes"]) == (65536, 3, 4)


def test_a_passphrase_is_the_same_however_its_letters_are_composed(paths: Paths) -> None:
    PassphraseStore(paths.key_file, "Gr\u00fc\u00dfe").save(KEY)
    assert PassphraseStore(paths.key_file, "Gru\u0308\u00dfe").load() == KEY


def test_changing_the_passphrase_only_seals_the_key_again(paths: Paths) -> None:
    PassphraseStore(paths.key_file, "old one").save(KEY)
    PassphraseStore(paths.key_file, "new one").save(KEY)
    assert PassphraseStore(paths.key_file, "new one").load() == KEY
    with pytest.raises(WrongKey):
        PassphraseStore(paths.key_file, "old one").load()


def test_weakened_parameters_do_not_open_the_seal(paths: Paths) -> None:
    PassphraseStore(paths.key_file, SECRET).save(KEY)
    record = json.loads(paths.key_file.read_text(encoding="utf-8"))
    record["wrapped"]["iterations"] = 1
    paths.key_file.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(WrongKey):
        PassphraseStore(paths.key_file, SECRET).load()


@pytest.mark.parametrize(
    ("name", "value"),
    [("memory_kib", 2**40), ("iterations", 10**9), ("lanes", 0), ("salt", "no digits")],
)
def test_parameters_that_would_exhaust_the_machine_are_refused(
    paths: Paths, name: str, value: object
) -> None:
    PassphraseStore(paths.key_file, SECRET).save(KEY)
    record = json.loads(paths.key_file.read_text(encoding="utf-8"))
    record["wrapped"][name] = value
    paths.key_file.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(StoreDamaged):
        PassphraseStore(paths.key_file, SECRET).load()


@pytest.mark.usefixtures("no_keyring")
def test_a_script_names_a_file_with_the_passphrase(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "passphrase"
    file.write_text(f"{SECRET}\nsecond line\n", encoding="utf-8")
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(file))
    key = open_key(paths)
    monkeypatch.delenv(PASSPHRASE_FILE_VARIABLE)
    assert open_key(paths, passphrase=SECRET) == key


@pytest.mark.usefixtures("no_keyring")
@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe"])
def test_a_passphrase_file_without_a_passphrase_makes_no_key(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    file = tmp_path / "passphrase"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(file))
    with pytest.raises(KeyNeeded):
        open_key(paths)
    assert key_kind(paths) is None


@pytest.mark.usefixtures("no_keyring")
def test_a_key_file_is_used_only_where_a_person_chose_it(paths: Paths) -> None:
    key = open_key(paths, allow_key_file=True)
    assert key_kind(paths) == "key_file"
    assert open_key(paths) == key


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_a_key_file_that_others_can_read_is_refused(paths: Paths) -> None:
    KeyFileStore(paths.key_file).save(KEY)
    assert stat.S_IMODE(paths.key_file.stat().st_mode) == 0o600
    paths.key_file.chmod(0o640)
    with pytest.raises(KeyExposed):
        open_key(paths)


def test_a_key_is_never_written_over_another(paths: Paths) -> None:
    KeyFileStore(paths.key_file).save(KEY)
    before = paths.key_file.read_bytes()
    for place in (
        KeyFileStore(paths.key_file),
        PassphraseStore(paths.key_file, SECRET),
    ):
        with pytest.raises(FileExistsError):
            place.save(bytes(32))
    assert paths.key_file.read_bytes() == before


def test_no_new_key_is_made_beside_a_database(paths: Paths, system_keyring: MemoryKeyring) -> None:
    Database.open(paths.store, KEY).close()
    with pytest.raises(WrongKey):
        open_key(paths)
    assert system_keyring.entries == {}


def test_two_starts_at_once_agree_on_one_key(
    paths: Paths, system_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = KeyringStore.save
    keys: list[bytes] = []

    def keep_second(place: KeyringStore, key: bytes) -> None:
        monkeypatch.setattr(KeyringStore, "save", keep)
        keys.append(open_key(paths))
        keep(place, key)

    monkeypatch.setattr(KeyringStore, "save", keep_second)
    assert [open_key(paths)] == keys


@pytest.mark.parametrize("content", [b"", b"{}", b'{"type": "KeyRecord"}', b"\x00" * 40])
def test_a_broken_key_record_is_said_to_be_damaged_and_left_alone(
    paths: Paths, content: bytes
) -> None:
    paths.data.mkdir()
    paths.key_file.write_bytes(content)
    with pytest.raises(StoreDamaged):
        open_key(paths)
    assert paths.key_file.read_bytes() == content


def test_a_right_key_that_opens_nothing_means_a_damaged_store(
    paths: Paths, system_keyring: MemoryKeyring
) -> None:
    open_store(paths).close()
    content = bytearray(paths.store.read_bytes())
    content[:200] = bytes(200)
    paths.store.write_bytes(content)
    with pytest.raises(StoreDamaged):
        open_store(paths)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wrong=st.binary(min_size=1, max_size=60))
def test_no_garbage_opens_a_seal(wrong: bytes) -> None:
    wrapped = WrappedKey("00" * 16, "00" * 12, wrong.hex(), memory_kib=64, iterations=1, lanes=1)
    with pytest.raises(WrongKey):
        unwrap(wrapped, SECRET)


REAL = """
import sys
from pathlib import Path
from app.paths import Paths
from app.store.keystore import key_kind, open_key
paths = Paths(Path(sys.argv[1]))
key = open_key(paths)
assert key_kind(paths) == "keyring", key_kind(paths)
assert open_key(paths) == key
print("kept", len(key))
"""
SESSION = (
    "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec \"$@\""
)


@pytest.mark.skipif(
    not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
    reason="needs dbus-run-session and gnome-keyring-daemon",
)
def test_a_real_secret_service_keeps_the_key(tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_DATA_HOME": str(tmp_path / "share"),
    }
    environment.pop("PYTHON_KEYRING_BACKEND", None)
    command = ["dbus-run-session", "--", "sh", "-c", SESSION, "sh", sys.executable, "-c", REAL]
    done = subprocess.run(
        [*command, str(tmp_path / "data")],
        env=environment,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "kept 32" in done.stdout, done.stderr
