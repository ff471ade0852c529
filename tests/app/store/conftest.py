from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from app.paths import Paths
from app.store.database import Database
from app.store.keystore import PASSPHRASE_FILE_VARIABLE
from tests.fake_keyring import MemoryKeyring
from tests.fakes import STORE_KEY


@pytest.fixture(autouse=True)
def _no_passphrase_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSPHRASE_FILE_VARIABLE, raising=False)


@pytest.fixture
def system_keyring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path / "snug.db", STORE_KEY)
    yield database
    database.close()
