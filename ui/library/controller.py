"""Keeps the library's page in step with the library, and does what it asks for."""

from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from app.documents.values import Citation, LeftOut
from ui.library.page import LibraryPage
from ui.library.state import LibraryState
from ui.tasks import Tasks

if TYPE_CHECKING:
    from app.documents.retrieval import Retrieved

_POLL_MS = 500
_LIMIT = 6


class View(Protocol):
    """What is shown of an `app.documents.library_values.LibraryView`."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders."""
        ...

    @property
    def files(self) -> int:
        """Documents in them."""
        ...

    @property
    def indexed(self) -> int:
        """Those that are ready for questions."""
        ...

    @property
    def failed(self) -> tuple[LeftOut, ...]:
        """Those that could not be read."""
        ...

    @property
    def working(self) -> bool:
        """Whether something is read."""
        ...

    @property
    def paused(self) -> bool:
        """Whether a person has paused it."""
        ...


class LibraryDesk(Protocol):
    """What the window needs of an `app.documents.library.Library`; only `search` blocks."""

    def state(self) -> View:
        """Return how it is with the library now."""
        ...

    def add(self, path: Path) -> Future[None]:
        """Keep the documents of a folder ready from now on."""
        ...

    def remove(self, path: Path) -> Future[None]:
        """Forget a folder and what was kept of it."""
        ...

    def pause(self) -> None:
        """Read nothing for now."""
        ...

    def resume(self) -> None:
        """Go on reading."""
        ...

    def path_of(self, document_id: str) -> "Future[Path | None]":
        """Return where the file of a passage is."""
        ...

    def search(self, question: str, limit: int = 4) -> "Retrieved":
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

    def path_of(self, document_id: str) -> "Future[Path | None]":
        """Return where the file of a passage is."""
        return self._desk.path_of(document_id)

    def start(self) -> None:
        """Begin to look at the library."""
        self._timer.start()
        self.refresh()

    def refresh(self) -> None:
        """Show how it is with the library now."""
        view = self._desk.state()
        state = LibraryState(
            folders=view.folders,
            files=view.files,
            indexed=view.indexed,
            failed=view.failed,
            is_working=view.working,
            is_paused=view.paused,
        )
        if state != self._state:
            self._state = state
            self._page.show_state(state)
            self.offered.emit(state.indexed > 0)

    def _add(self, path: Path) -> None:
        self._follow(self._desk.add(path))

    def _remove(self, path: Path) -> None:
        self._follow(self._desk.remove(path))

    def _follow(self, future: Future[None]) -> None:
        self._tasks.run(future, lambda _: self.refresh(), self.failed.emit, self)

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

        def found(result: "tuple[tuple[Citation, ...], bool]") -> None:
            passages, by_meaning = result
            if question == self._question:
                self._page.show_results(passages, self._note(passages, by_meaning))

        search = partial(_search, self._desk, question)
        self._tasks.start(search, found, self.failed.emit, self)

    def _note(self, passages: tuple[Citation, ...], by_meaning: bool) -> str:
        if not passages:
            return self.tr("Nothing in the library fits.")
        if by_meaning:
            return ""
        return self.tr("Found by words only: the model that compares meanings is not installed.")


def _search(desk: LibraryDesk, question: str) -> tuple[tuple[Citation, ...], bool]:
    """Return passages as quotes with their best sentences marked, and whether meaning counted."""
    # Not before the first search: it takes numpy with it.
    from app.documents.retrieval import best_sentences  # noqa: PLC0415

    retrieved = desk.search(question, _LIMIT)
    found = tuple(
        Citation(
            number,
            each.document_id,
            each.name,
            each.place,
            each.text,
            tuple(best_sentences(question, (each,), 1)),
        )
        for number, each in enumerate(retrieved.passages, 1)
    )
    return found, retrieved.by == "words_and_meaning"
