import pytest

from app.errors import KeyNeeded, WrongKey
from app.paths import Paths
from app.store.unlocking import Unlocking

pytestmark = pytest.mark.usefixtures("no_keyring")


def test_a_person_is_asked_and_then_the_store_opens(paths: Paths) -> None:
    unlocking = Unlocking(paths)
    with pytest.raises(KeyNeeded):
        unlocking.open()
    assert unlocking.kind is None
    unlocking.use_passphrase("a long passphrase")
    unlocking.open().close()
    assert unlocking.kind == "passphrase"


def test_a_wrong_passphrase_is_tried_once(paths: Paths) -> None:
    first = Unlocking(paths)
    first.use_passphrase("right")
    first.open().close()
    unlocking = Unlocking(paths)
    unlocking.use_passphrase("wrong")
    with pytest.raises(WrongKey):
        unlocking.open()
    with pytest.raises(KeyNeeded):
        unlocking.open()
    assert unlocking.kind == "passphrase"
    unlocking.use_passphrase("right")
    unlocking.open().close()


def test_a_key_file_is_made_once_and_needs_no_word(paths: Paths) -> None:
    unlocking = Unlocking(paths)
    unlocking.use_key_file()
    unlocking.open().close()
    assert unlocking.kind == "key_file"
    Unlocking(paths).open().close()
