from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QListView, QPushButton
from pytestqt.qtbot import QtBot

from app.chat.service import ChatService
from app.errors import StoreFull
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator
from tests.ui.finding import button, only
from ui.conversation_model import Role
from ui.conversations import Conversations
from ui.notices import NoticeBar
from ui.sidebar import Sidebar
from ui.tasks import Tasks
from ui.theme import Theme

DAY_S = 86_400.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def chat(tmp_path: Path, clock: FakeClock) -> Iterator[ChatService]:
    with FakeGenerator() as generator:
        service = ChatService(
            lambda: Database.open(tmp_path / "snug.db", STORE_KEY),
            generator,
            FakeDocuments(),
            clock,
            commit_interval_s=0.01,
        )
        yield service
        service.close()


@pytest.fixture
def sidebar(qtbot: QtBot, theme: Theme) -> Sidebar:
    sidebar = Sidebar(theme)
    qtbot.addWidget(sidebar)
    sidebar.resize(272, 600)
    sidebar.show()
    return sidebar


@pytest.fixture
def notices(qtbot: QtBot, theme: Theme) -> NoticeBar:
    notices = NoticeBar(theme)
    qtbot.addWidget(notices)
    return notices


@pytest.fixture
def conversations(
    chat: ChatService, sidebar: Sidebar, notices: NoticeBar, tasks: Tasks, clock: FakeClock
) -> Conversations:
    return Conversations(chat, sidebar, notices, tasks, now_s=clock.now_s)


def ask(chat: ChatService, text: str, title: str) -> str:
    conversation_id = chat.new_id()
    chat.send(conversation_id, text).wait(10)
    chat.rename(conversation_id, title).result(10)
    return conversation_id


def rows(sidebar: Sidebar) -> list[str]:
    model = sidebar.model
    return [model.index(row).data() for row in range(model.rowCount())]


def view(sidebar: Sidebar) -> QListView:
    return only(sidebar, QListView, "conversations")


def click(qtbot: QtBot, sidebar: Sidebar, conversation_id: str) -> None:
    rect = view(sidebar).visualRect(sidebar.model.index_of(conversation_id))
    qtbot.mouseClick(view(sidebar).viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


def test_the_store_is_listed_under_its_dates(
    qtbot: QtBot,
    chat: ChatService,
    sidebar: Sidebar,
    conversations: Conversations,
    clock: FakeClock,
) -> None:
    ask(chat, "one", "First")
    clock.advance(2 * DAY_S)
    ask(chat, "two", "Second")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    assert rows(sidebar) == ["Today", "Second", "Previous 7 days", "First"]


def test_a_click_opens_a_conversation(
    qtbot: QtBot, chat: ChatService, sidebar: Sidebar, conversations: Conversations
) -> None:
    first = ask(chat, "one", "First")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    with qtbot.waitSignal(sidebar.conversation_chosen) as chosen:
        click(qtbot, sidebar, first)
    assert chosen.args == [first, ""]


def test_a_search_shows_what_was_found_and_can_be_left(
    qtbot: QtBot, chat: ChatService, sidebar: Sidebar, conversations: Conversations
) -> None:
    ask(chat, "Which supplier is cheaper?", "Suppliers")
    ask(chat, "What is VAT?", "Tax")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    field = only(sidebar, QLineEdit, "search")
    qtbot.keyClicks(field, "supplier")
    qtbot.waitUntil(lambda: rows(sidebar)[0].startswith("Found"))
    assert set(rows(sidebar)[1:]) == {"Suppliers"}
    excerpt = sidebar.model.index(1).data(Role.EXCERPT)
    assert "supplier" in "".join(excerpt)
    with qtbot.waitSignal(sidebar.conversation_chosen) as chosen:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert chosen.args[1]
    field.clear()
    qtbot.waitUntil(lambda: set(rows(sidebar)) >= {"Suppliers", "Tax"})


def test_a_deletion_can_be_undone(
    qtbot: QtBot,
    chat: ChatService,
    sidebar: Sidebar,
    notices: NoticeBar,
    conversations: Conversations,
) -> None:
    kept = ask(chat, "one", "Kept")
    gone = ask(chat, "two", "Gone")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    conversations.set_open(gone)
    with qtbot.waitSignals([conversations.left, conversations.listed]):
        conversations.delete(gone, "Gone")
    assert rows(sidebar)[1:] == ["Kept"]
    assert notices.text == "“Gone” was deleted."
    with qtbot.waitSignal(conversations.restored) as restored:
        qtbot.mouseClick(only(notices, QPushButton), Qt.MouseButton.LeftButton)
    assert restored.args == [gone]
    qtbot.waitUntil(lambda: len(rows(sidebar)) == 3)
    assert sidebar.model.index_of(kept).isValid()


def test_the_keyboard_opens_renames_and_deletes(
    qtbot: QtBot, chat: ChatService, sidebar: Sidebar, conversations: Conversations
) -> None:
    first = ask(chat, "one", "First")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    conversations.set_open(first)
    keys = view(sidebar)
    keys.setFocus()
    with qtbot.waitSignal(sidebar.conversation_chosen):
        qtbot.keyClick(keys, Qt.Key.Key_Return)
    qtbot.keyClick(keys, Qt.Key.Key_F2)
    editor = only(keys, QLineEdit, "renaming")
    editor.selectAll()
    qtbot.keyClicks(editor, "Better")
    with qtbot.waitSignal(conversations.listed):
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert conversations.title == "Better"
    with qtbot.waitSignal(conversations.left):
        qtbot.keyClick(keys, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: rows(sidebar) == [])


class FullStore:
    """Lists and searches, and has no room for a change."""

    def __init__(self, chat: ChatService) -> None:
        self.conversations = chat.conversations
        self.search = chat.search

    def rename(self, conversation_id: str, title: str) -> Future[None]:
        return self._refuse()

    def delete(self, conversation_id: str) -> Future[None]:
        return self._refuse()

    def undo_delete(self, conversation_id: str) -> Future[None]:
        return self._refuse()

    def _refuse(self) -> Future[None]:
        future: Future[None] = Future()
        future.set_exception(StoreFull())
        return future


def test_a_refused_change_leaves_the_list_as_the_store_has_it(
    qtbot: QtBot, chat: ChatService, sidebar: Sidebar, notices: NoticeBar, tasks: Tasks
) -> None:
    first = ask(chat, "one", "First")
    conversations = Conversations(FullStore(chat), sidebar, notices, tasks)
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    before = rows(sidebar)
    with qtbot.waitSignal(conversations.failed):
        conversations.delete(first, "First")
    assert rows(sidebar) == before
    with qtbot.waitSignal(conversations.failed):
        sidebar.model.setData(sidebar.model.index_of(first), "Other")
    assert rows(sidebar) == before


def test_the_open_conversation_stays_marked_when_the_list_is_read_anew(
    qtbot: QtBot, chat: ChatService, sidebar: Sidebar, conversations: Conversations
) -> None:
    first = ask(chat, "one", "First")
    ask(chat, "two", "Second")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    conversations.set_open(first)
    ask(chat, "three", "Third")
    with qtbot.waitSignal(conversations.listed):
        conversations.refresh()
    assert view(sidebar).currentIndex().data(Role.CONVERSATION_ID) == first
    conversations.set_open("")
    assert not view(sidebar).currentIndex().isValid()


def test_the_foot_says_how_the_key_is_kept(sidebar: Sidebar) -> None:
    sidebar.show_key_kind("passphrase")
    assert "passphrase" in sidebar._key.text()
    sidebar.show_key_kind(None)
    assert sidebar._key.isHidden()


def test_the_settings_menu_is_asked_for_where_its_button_is(qtbot: QtBot, sidebar: Sidebar) -> None:
    positions: list[QPoint] = []
    sidebar.settings_requested.connect(positions.append)
    qtbot.mouseClick(button(sidebar, "Settings"), Qt.MouseButton.LeftButton)
    assert len(positions) == 1
