from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.service import ChatService
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator
from ui.chat.code_colors import CodeColoring
from ui.chat.look import Look
from ui.chat.page import ChatPage
from ui.tasks import Tasks
from ui.theme import Theme
from ui.turn_pump import TurnPump


@pytest.fixture
def generator() -> Iterator[FakeGenerator]:
    with FakeGenerator() as generator:
        yield generator


@pytest.fixture
def documents() -> FakeDocuments:
    return FakeDocuments()


class Store:
    """A real store, or the error that opening it ends with."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.error: Exception | None = None

    def open(self) -> Database:
        if self.error is not None:
            raise self.error
        return Database.open(self._file, STORE_KEY)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "snug.db")


@pytest.fixture
def service(
    store: Store, generator: FakeGenerator, documents: FakeDocuments
) -> Iterator[ChatService]:
    service = ChatService(
        store.open,
        generator,
        documents,
        FakeClock(),
        commit_interval_s=0.01,
    )
    yield service
    generator.release()
    documents.release()
    service.close()


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme("light")


@pytest.fixture
def tasks(qtbot: QtBot, plurals: None) -> Iterator[Tasks]:
    tasks = Tasks()
    yield tasks
    tasks.close()


@pytest.fixture
def look(theme: Theme, tasks: Tasks) -> Look:
    return Look(theme, CodeColoring(tasks))


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    return tmp_path / "data" / "pasted"


@pytest.fixture
def page(
    qtbot: QtBot,
    service: ChatService,
    theme: Theme,
    tasks: Tasks,
    pasted: Path,
) -> ChatPage:
    page = ChatPage(service, theme, tasks, TurnPump(), pasted=pasted)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    qtbot.waitExposed(page)
    return page
