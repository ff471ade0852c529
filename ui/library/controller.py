"""Keeps the library's page in step with the library, and does what it asks for."""

from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from app.documents.values import Citation
from ui.library.page import LibraryPage
from ui.library.state import LibraryState
from ui.tasks import Tasks

_POLL_MS = 500
_LIMIT = 6


class LibraryDesk(Protocol):
    """What the window needs of the library; nothing here blocks."""

    def state(self) -> LibraryState:
        """Return how it is with the library now."""
        ...

    def add(self, path: Path) -> None:
        """Keep the documents of a folder ready from now on."""
        ...

    def remove(self, path: Path) -> None:
        """Forget a folder and what was kept of it."""
        ...

    def pause(self) -> None:
        """Read nothing for now."""
        ...

    def resume(self) -> None:
        """Go on reading."""
        ...

    def search(self, question: str, limit: int) -> Future[tuple[tuple[Citation, ...], bool]]:
        """Return the passages that fit best, and whether their meaning counted or words alone."""
        ...


class LibraryController(QObject):
    """Polls only while something happens or the page is looked at; GUI thread only.

    Signals:
        offered: (is_offered: bool): whether there is something that questions can be asked of.
        failed: (error).
    """

    offered = Signal(bool)
    failed = Signal(object)

    def __init__(self, desk: LibraryDesk, page: LibraryPage, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._page = page
        self._tasks = tasks
        self._state = LibraryState()
        self._question = ""
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.refresh)
        page.folder_added.connect(self._add)
        page.folder_removed.connect(self._remove)
        page.pause_wanted.connect(self._pause)
        page.searched.connect(self._search)

    def start(self) -> None:
        """Begin to look at the library."""
        self._timer.start()
        self.refresh()

    def refresh(self) -> None:
        """Show how it is with the library now."""
        state = self._desk.state()
        if state != self._state:
            self._state = state
            self._page.show_state(state)
            self.offered.emit(state.indexed > 0)

    def _add(self, path: Path) -> None:
        self._desk.add(path)
        self.refresh()

    def _remove(self, path: Path) -> None:
        self._desk.remove(path)
        self.refresh()

    def _pause(self, is_paused: bool) -> None:
        if is_paused:
            self._desk.pause()
        else:
            self._desk.resume()
        self.refresh()

    def _search(self, question: str) -> None:
        self._question = question
        if not question:
            self._page.show_results((), "")
            return

        def found(result: tuple[tuple[Citation, ...], bool]) -> None:
            passages, by_meaning = result
            if question == self._question:
                self._page.show_results(passages, self._note(passages, by_meaning))

        self._tasks.run(self._desk.search(question, _LIMIT), found, self.failed.emit, self)

    def _note(self, passages: tuple[Citation, ...], by_meaning: bool) -> str:
        if not passages:
            return self.tr("Nothing in the library fits.")
        if by_meaning:
            return ""
        return self.tr("Found by words only: the model that compares meanings is not installed.")
