"""Pages that are painted here, for tests that need no process: gray, and a box for every mark."""

import threading
from dataclasses import dataclass

from app.documents.document import Line

A4 = (595.0, 842.0)


@dataclass(frozen=True, slots=True)
class Picture:
    width: int
    height: int
    rgb: bytes
    boxes: tuple[tuple[float, float, float, float], ...]


class PaintedPages:
    """Draws at once, unless it is held; `rendered` are the pages and sizes that were asked for."""

    def __init__(self, count: int = 3, *, error: Exception | None = None) -> None:
        self._count = count
        self._error = error
        self._may_draw = threading.Event()
        self._may_draw.set()
        self.rendered: list[tuple[int, float, tuple[str, ...]]] = []
        self.lines: list[tuple[Line, ...]] = []
        self.is_closed = False

    def hold(self) -> None:
        self._may_draw.clear()

    def release(self) -> None:
        self._may_draw.set()

    def sizes(self) -> tuple[tuple[float, float], ...]:
        if self._error is not None:
            raise self._error
        return (A4,) * self._count

    def render(
        self, number: int, dpi: float, marks: tuple[str, ...] = (), lines: tuple[Line, ...] = ()
    ) -> Picture:
        self._may_draw.wait(10)
        self.rendered.append((number, dpi, marks))
        self.lines.append(lines)
        width, height = (max(1, round(edge * dpi / 72)) for edge in A4)
        shade = bytes((200, 200, 200))
        boxes = tuple((0.1, 0.5 + at / 20, 0.9, 0.53 + at / 20) for at in range(len(marks)))
        return Picture(width, height, shade * (width * height), boxes)

    def close(self) -> None:
        self.release()
        self.is_closed = True
