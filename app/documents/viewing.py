"""Pages of a document as pictures, with what is quoted of them marked, and the search in it.

The pictures are drawn in a process behind walls that stays as long as the document is looked at.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.documents.document import Kind, Line
from app.documents.frames import wire_path
from app.documents.sandbox import LimitReached, Limits, Watch
from app.documents.viewing_frames import (
    VIEW_COMMANDS,
    VIEW_EVENTS,
    Box,
    Draw,
    Drawn,
    Find,
    Found,
    OpenView,
    ViewFailed,
    ViewOpened,
)
from app.documents.viewing_marks import mark_lines
from app.errors import DocumentError, DocumentLocked, DocumentTooLarge, DocumentUnreadable
from inference.child import Child
from inference.errors import BadFrame, Cancelled

_LIMITS = Limits(step_s=30.0, total_s=math.inf)
_ERRORS: dict[str, type[DocumentError]] = {
    cls.code: cls for cls in (DocumentLocked, DocumentTooLarge, DocumentUnreadable)
}
_CHANNELS = 3


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as a picture.

    Attributes:
        rgb: Rows from the top, three bytes a pixel, nothing between the rows.
        boxes: Left, top, right and bottom edge of what is marked, as shares of the page.
    """

    width: int
    height: int
    rgb: bytes
    boxes: tuple[Box, ...] = ()


def has_look(kind: Kind) -> bool:
    """Tell whether documents of `kind` can be drawn; of others their text is shown."""
    return kind in ("pdf", "image")


class Viewer:
    """A document that a person looks at.

    Every method blocks and belongs to one thread, but `close`, which any thread may call and which
    ends what another one waits for. A process that was ended by a page is started again for the
    next.

    Each raises DocumentLocked, DocumentTooLarge or DocumentUnreadable with the fact `name`, and
    Cancelled once it is closed.
    """

    def __init__(
        self,
        source: Path | bytes,
        *,
        launch: Callable[[], Child],
        password: str | None = None,
        limits: Limits = _LIMITS,
    ) -> None:
        self._source = source
        self._name = source.name if isinstance(source, Path) else ""
        self._launch = launch
        self._password = password
        self._limits = replace(limits, total_s=math.inf)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._sizes: tuple[tuple[float, float], ...] = ()

    def sizes(self) -> tuple[tuple[float, float], ...]:
        """Return width and height of each page in points, as it is seen."""
        with self._lock:
            self._open()
            return self._sizes

    def render(
        self, number: int, dpi: float, marks: tuple[str, ...] = (), lines: tuple[Line, ...] = ()
    ) -> RenderedPage:
        """Draw page `number`, 1-based, and find `marks` on it, however its lines are broken.

        `lines` are those of a page that was recognized in its image; its marks are found in them.
        """
        drawn, rgb = self._ask(Draw(number, dpi, () if lines else marks))
        if not isinstance(drawn, Drawn) or len(rgb) != drawn.width * drawn.height * _CHANNELS:
            raise self._gone()
        boxes = mark_lines(lines, marks) if lines else drawn.boxes
        return RenderedPage(drawn.width, drawn.height, rgb, boxes)

    def find(self, text: str) -> tuple[int, ...]:
        """Return the pages, from 1, on which `text` stands in the text layer, whatever its case.

        A page that was recognized has none; its lines are to be searched by who has them.
        """
        found, _ = self._ask(Find(text))
        if not isinstance(found, Found):
            raise self._gone()
        return found.pages

    def close(self) -> None:
        """End the process; safe to call twice."""
        self._closed.set()
        child = self._child
        if child is not None:
            child.kill()  # who waits for it holds the lock, and sees the pipe end
        with self._lock:
            self._end()

    def _open(self) -> Child:
        if self._closed.is_set():
            raise Cancelled
        if self._child is not None:
            return self._child
        try:
            child = self._child = self._launch()
        except OSError as error:
            raise self._gone() from error
        is_path = isinstance(self._source, Path)
        path = wire_path(self._source.absolute()) if isinstance(self._source, Path) else ""
        opening = OpenView(path, self._password, self._limits.address_bytes)
        frames = [VIEW_COMMANDS.encode(opening), *(() if is_path else (self._source,))]
        try:
            opened, _ = self._exchange(child, frames)
            if not isinstance(opened, ViewOpened):
                raise self._gone()
        except DocumentError:
            self._end()
            raise
        self._sizes = opened.sizes
        return child

    def _ask(self, command: Draw | Find) -> tuple[Any, bytes]:
        with self._lock:
            return self._exchange(self._open(), [VIEW_COMMANDS.encode(command)])

    def _exchange(self, child: Child, frames: list[Any]) -> tuple[Any, bytes]:
        """Send frames and return the event that answers them, with the pixels that follow it."""
        watch = Watch(child, self._limits, self._closed)
        try:
            for frame in frames:
                child.connection.send_bytes(frame)
            watch.wait()
            event = VIEW_EVENTS.decode(child.connection.recv_bytes())
            if not isinstance(event, Drawn):
                return self._checked(event), b""
            watch.wait()
            return event, child.connection.recv_bytes()
        except LimitReached as limit:
            self._end()
            raise DocumentTooLarge(name=self._name, limit=str(limit)) from limit
        except (EOFError, OSError, BadFrame) as error:
            self._end()
            if self._closed.is_set():
                raise Cancelled from error
            raise self._gone() from error

    def _checked(self, event: Any) -> Any:
        if isinstance(event, ViewFailed):
            facts = {**event.facts, "name": self._name}
            if event.code == DocumentLocked.code:
                facts["wrong"] = int(self._password is not None)
            raise _ERRORS.get(event.code, DocumentUnreadable)(**facts)
        return event

    def _gone(self) -> DocumentUnreadable:
        return DocumentUnreadable(name=self._name, reason="it made the viewer stop")

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.close()
