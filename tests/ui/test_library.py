"""The library's page: folders come and go, states are said, passages open."""

from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.documents.retrieval import Passage, Retrieved
from app.documents.values import Citation, LeftOut, Place
from app.paths import Paths
from tests.ui.finding import button, only
from tests.ui.window_parts import window_parts
from ui.library.controller import LibraryController
from ui.library.page import LibraryPage
from ui.tasks import Tasks
from ui.theme import Theme

PASSAGE = Citation(1, "d1", "plan.docx", Place(2, "section"), "Costs fell.", ("Costs fell.",))
FOUND = Passage("d1", "plan.docx", Place(2, "section"), "Costs fell.", ("Costs fell.",))


@dataclass(frozen=True)
class View:
    folders: tuple[Path, ...] = ()
    files: int = 0
    indexed: int = 0
    failed: tuple[LeftOut, ...] = ()
    working: bool = False
    paused: bool = False


class ScriptedLibrary:
    """Does at once what it is told, and finds what the test put there."""

    def __init__(self) -> None:
        self.view = View()
        self.found: tuple[Passage, ...] = ()
        self.searched: list[str] = []

    def state(self) -> View:
        return self.view

    def add(self, path: Path) -> Future[None]:
        self.view = replace(self.view, folders=(*self.view.folders, path), files=4, indexed=3)
        return done()

    def remove(self, path: Path) -> Future[None]:
        rest = tuple(folder for folder in self.view.folders if folder != path)
        self.view = replace(self.view, folders=rest)
        return done()

    def pause(self) -> None:
        self.view = replace(self.view, paused=True)

    def resume(self) -> None:
        self.view = replace(self.view, paused=False)

    def path_of(self, document_id: str) -> Future[Path | None]:
        future: Future[Path | None] = Future()
        future.set_result(self.view.folders[0] / "plan.txt")
        return future

    def search(self, question: str, limit: int = 4) -> Retrieved:
        self.searched.append(question)
        return Retrieved(self.found[:limit], "words")


def done() -> Future[None]:
    future: Future[None] = Future()
    future.set_result(None)
    return future


@pytest.fixture
def library() -> ScriptedLibrary:
    return ScriptedLibrary()


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> LibraryPage:
    page = LibraryPage(theme)
    qtbot.addWidget(page)
    page.resize(800, 700)
    page.show()
    return page


@pytest.fixture
def controller(
    library: ScriptedLibrary, page: LibraryPage, tasks: Tasks, qtbot: QtBot
) -> LibraryController:
    controller = LibraryController(library, page, tasks, page)
    controller.start()
    return controller


def search(page: LibraryPage, qtbot: QtBot, question: str) -> None:
    field = only(page, QLineEdit)
    field.setText(question)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_folder_comes_and_goes(
    controller: LibraryController,
    page: LibraryPage,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    assert page.state_text == "No folders yet."
    with qtbot.waitSignal(controller.offered, check_params_cb=bool):
        page.folder_added.emit(tmp_path / "Contracts")
    assert page.state_text.startswith("3 of 4 files ready")
    button(page, "Remove Contracts").click()
    qtbot.waitUntil(lambda: page.state_text == "No folders yet.")


def test_reading_pauses_and_goes_on(
    controller: LibraryController, page: LibraryPage, library: ScriptedLibrary, tmp_path: Path
) -> None:
    library.add(tmp_path)
    library.view = replace(library.view, working=True)
    controller.refresh()
    assert page.state_text == "3 of 4 files ready · working"
    button(page, "Pause").click()
    assert page.state_text == "3 of 4 files ready · paused"
    button(page, "Go on").click()
    assert not library.view.paused


def test_what_could_not_be_read_says_why(
    controller: LibraryController,
    page: LibraryPage,
    library: ScriptedLibrary,
    tmp_path: Path,
    plurals: None,
) -> None:
    library.add(tmp_path)
    library.view = replace(library.view, failed=(LeftOut("document_locked", "secret.pdf"),))
    controller.refresh()
    assert page.failed_text == ""
    button(page, "1 file could not be read").click()
    assert page.failed_text == "secret.pdf is protected by a password."


def test_a_search_shows_passages_that_open(
    controller: LibraryController,
    page: LibraryPage,
    library: ScriptedLibrary,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    library.add(tmp_path)
    library.found = (FOUND,)
    controller.refresh()
    search(page, qtbot, "What fell?")
    qtbot.waitUntil(lambda: page.results == (PASSAGE,))
    with qtbot.waitSignal(page.passage_activated) as activated:
        button(page, "Source 1: plan.docx, section 2; show the page").click()
    assert activated.args == [PASSAGE]
    library.found = ()
    search(page, qtbot, "Nothing")
    qtbot.waitUntil(lambda: page.results == ())
    assert library.searched == ["What fell?", "Nothing"]


def test_a_passage_of_the_library_opens_its_file(
    library: ScriptedLibrary, qtbot: QtBot, data_dir: Path, tmp_path: Path, plurals: None
) -> None:
    (tmp_path / "plan.txt").write_text("One.\fCosts fell.")
    library.add(tmp_path)
    with window_parts(Paths(data_dir), library=library) as parts:
        window = parts.window
        window.resize(1280, 820)
        window.show()
        qtbot.waitExposed(window)
        window._show_library()
        viewer = window._documents.panel.viewer
        for _ in range(2):
            window._library_page.passage_activated.emit(replace(PASSAGE, place=Place(2)))
            qtbot.waitUntil(lambda: viewer.text.marked == ("Costs fell.",))
        assert viewer.page == 2
        assert window._page.composer.documents.documents == ()
