"""Pictures of a document's pages, drawn one after the other beside the event loop.

Whoever shows pages says again and again what is in sight; what has gone out of sight before its
turn is never drawn. So scrolling through hundreds of pages costs one page at a time.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.documents.document import Line, Page
from ui.tasks import Tasks

Size = tuple[float, float]
Box = tuple[float, float, float, float]
Role = Literal["pages", "thumbnails"]

_BYTES_A_PIXEL = 3


class Rendered(Protocol):
    """What is needed of an `app.documents.viewing.RenderedPage`: rows of RGB bytes from the top."""

    @property
    def width(self) -> int:
        """In pixels."""
        ...

    @property
    def height(self) -> int:
        """In pixels."""
        ...

    @property
    def rgb(self) -> bytes:
        """Three bytes a pixel."""
        ...

    @property
    def boxes(self) -> tuple[Box, ...]:
        """Where marks stand, as shares of the page."""
        ...


class Renderer(Protocol):
    """What is needed of an `app.documents.viewing.Viewer`; every method blocks, one thread."""

    def sizes(self) -> Sequence[Size]:
        """Return width and height of every page, in points."""
        ...

    def render(
        self, number: int, dpi: float, marks: tuple[str, ...] = (), lines: tuple[Line, ...] = ()
    ) -> Rendered:
        """Return a picture of a page and where the marked sentences stand on it.

        `lines` are those of a page that was recognized in its image.
        """
        ...

    def close(self) -> None:
        """End the process behind it."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture that is needed.

    Attributes:
        number: 1-based.
        marks: Sentences whose places are asked for as well.
    """

    number: int
    dpi: float
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture; `boxes` are left, top, right and bottom edges as shares of the page."""

    wanted: Wanted
    image: QImage
    boxes: tuple[Box, ...]


class PageRenders(QObject):
    """Has pages of one document drawn; GUI thread only. Close it when it is not needed any more.

    Signals:
        opened: The sizes of all pages in points; a tuple of pairs.
        drawn: A picture is there; a `Drawn`.
        failed: Pages cannot be drawn, or not this one; the error.
    """

    opened = Signal(object)
    drawn = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        open_renderer: Callable[[], Renderer],
        tasks: Tasks,
        *,
        pages: Sequence[Page] = (),
        parent: QObject | None = None,
    ) -> None:
        """Begin to open the document; `pages` are its text, for marks on recognized pages."""
        super().__init__(parent)
        self._pages = pages
        self._tasks = tasks
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="view")
        self._renderer: Renderer | None = None
        self._wishes: dict[Role, tuple[Wanted, ...]] = {"pages": (), "thumbnails": ()}
        self._given: set[Wanted] = set()
        self._is_busy = True
        self._is_closed = False

        def begin() -> tuple[Size, ...]:
            self._renderer = open_renderer()
            return tuple(self._renderer.sizes())

        tasks.run(self._thread.submit(begin), self._on_opened, self._on_failed, self)

    def want(self, role: Role, wanted: Sequence[Wanted]) -> None:
        """Say what is in sight now, the most urgent first; takes the place of the last wish."""
        self._wishes[role] = tuple(wanted)
        self._next()

    def forget(self, wanted: Wanted) -> None:
        """Let a picture be drawn again, because it was thrown away."""
        self._given.discard(wanted)

    def close(self) -> None:
        """Draw nothing more and end the process; never waits."""
        if self._is_closed:
            return
        self._is_closed = True
        self._thread.submit(self._end)
        self._thread.shutdown(wait=False)

    def _end(self) -> None:
        if self._renderer is not None:
            self._renderer.close()

    def _on_opened(self, sizes: tuple[Size, ...]) -> None:
        if self._is_closed:
            return
        self._is_busy = False
        self.opened.emit(sizes)
        self._next()

    def _next(self) -> None:
        if self._is_busy or self._is_closed:
            return
        wishes = (*self._wishes["pages"], *self._wishes["thumbnails"])
        wanted = next((one for one in wishes if one not in self._given), None)
        if wanted is None:
            return
        self._is_busy = True
        self._given.add(wanted)
        future = self._thread.submit(lambda: self._draw(wanted))
        self._tasks.run(future, self._on_drawn, self._on_failed, self)

    def _draw(self, wanted: Wanted) -> Drawn:
        renderer = self._renderer
        if renderer is None:
            raise RuntimeError("nothing was opened")
        lines = self._recognized(wanted.number) if wanted.marks else ()
        page = renderer.render(wanted.number, wanted.dpi, wanted.marks, lines)
        line_bytes = page.width * _BYTES_A_PIXEL
        seen = QImage(page.rgb, page.width, page.height, line_bytes, QImage.Format.Format_RGB888)
        # Converted here and not while painting; the copy also outlives the bytes.
        return Drawn(wanted, seen.convertToFormat(QImage.Format.Format_RGB32), tuple(page.boxes))

    def _recognized(self, number: int) -> tuple[Line, ...]:
        page = self._pages[number - 1] if number <= len(self._pages) else None
        return page.lines if page is not None and page.ocr_confidence else ()

    def _on_drawn(self, drawn: Drawn) -> None:
        self._is_busy = False
        if not self._is_closed:
            self.drawn.emit(drawn)
            self._next()

    def _on_failed(self, error: Exception) -> None:
        self._is_busy = self._renderer is None
        if not self._is_closed:
            self.failed.emit(error)
            self._next()
