from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.chat.service import ChatService
from app.errors import KeyNeeded
from app.paths import Paths
from app.store.keystore import PassphraseStore, key_kind
from app.store.unlocking import Unlocking
from tests.fakes import FakeClock, FakeDocuments, FakeGenerator
from tests.ui.finding import button
from ui.settings.key_controller import Keys
from ui.settings.key_dialog import KeyDialog, UnlockDialog
from ui.tasks import Tasks

GOOD = "a few words in a row"


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


@pytest.fixture
def unlocking(places: Paths) -> Unlocking:
    return Unlocking(places)


@pytest.fixture
def chat(unlocking: Unlocking) -> Iterator[ChatService]:
    with FakeGenerator() as generator:
        service = ChatService(unlocking.open, generator, FakeDocuments(), FakeClock())
        yield service
        service.close()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def keys(unlocking: Unlocking, chat: ChatService, tasks: Tasks, window: QWidget) -> Keys:
    return Keys(unlocking, chat.conversations, tasks, window)


def start(chat: ChatService) -> None:
    with pytest.raises(KeyNeeded):
        chat.conversations().result(10)


def test_a_new_store_is_sealed_with_the_passphrase_that_was_chosen(
    qtbot: QtBot, places: Paths, chat: ChatService, keys: Keys, window: QWidget
) -> None:
    start(chat)
    assert keys.can_ask()
    keys.ask()
    dialog = window.findChildren(KeyDialog)[0]
    for field in dialog.findChildren(QLineEdit):
        field.setText(GOOD)
    with qtbot.waitSignal(keys.opened):
        button(dialog, "Protect").click()
    assert key_kind(places) == "passphrase"
    assert chat.conversations().result(10) == ()


def test_a_new_store_may_have_a_key_file(
    qtbot: QtBot, places: Paths, chat: ChatService, keys: Keys, window: QWidget
) -> None:
    start(chat)
    keys.ask()
    dialog = window.findChildren(KeyDialog)[0]
    dialog._key_file.click()
    with qtbot.waitSignal(keys.opened):
        button(dialog, "Protect").click()
    assert key_kind(places) == "key_file"


def test_a_wrong_passphrase_is_said_and_the_right_one_opens(
    qtbot: QtBot, places: Paths, chat: ChatService, keys: Keys, window: QWidget
) -> None:
    places.data.mkdir()
    PassphraseStore(places.key_file, GOOD).save(bytes(32))
    start(chat)
    keys.ask()
    dialog = window.findChildren(UnlockDialog)[0]
    field = dialog.findChildren(QLineEdit)[0]
    qtbot.keyClicks(field, "another one")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(field.isEnabled)
    assert any("not the passphrase" in one.text() for one in dialog.findChildren(QLabel))
    assert chat.conversations().exception(10) is not None
    field.setText(GOOD)
    with qtbot.waitSignal(keys.opened):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert chat.conversations().result(10) == ()


def test_it_asks_once_at_a_time(
    qtbot: QtBot, chat: ChatService, keys: Keys, window: QWidget
) -> None:
    start(chat)
    keys.ask()
    keys.ask()
    dialogs = window.findChildren(KeyDialog)
    assert len(dialogs) == 1
    with qtbot.waitSignal(keys.declined):
        button(dialogs[0], "Not now").click()
    keys.ask()
    assert sum(one.isVisible() for one in window.findChildren(KeyDialog)) == 1
