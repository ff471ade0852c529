"""A slide as a page: its title, then what its shapes say from top to bottom, then its notes."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.document import Line, Page, PageState
from app.documents.formats.beside import Beside
from app.documents.formats.sections import BODY_HEIGHT, CELL_MARK, pieces
from app.documents.values import HiddenKind

_TITLE_HEIGHT = 20.0
_LONGEST_LABEL_CHARS = 120
# Shapes that share more than this of the smaller one's height stand beside each other.
_SAME_ROW = 0.5


@dataclass(frozen=True, slots=True)
class Shape:
    """What one shape says, and where it is in any unit."""

    top: float
    left: float
    height: float
    lines: tuple[Line, ...]
    is_title: bool = False
    is_footer: bool = False


class ShapeText:
    """Takes what a shape says; a `Sink`."""

    def __init__(self, beside: Beside) -> None:
        self.lines: list[Line] = []
        self._beside = beside

    def heading(self, text: str, level: int) -> None:  # noqa: ARG002
        """Add a heading; on a slide it is a paragraph."""
        self.paragraph(text)

    def paragraph(
        self,
        text: str,
        *,
        bold: bool = False,
        height: float = 0.0,  # noqa: ARG002 - sizes on slides say nothing about headings
        stands_close: bool = False,
    ) -> None:
        """Add a paragraph."""
        rows = [piece for row in text.split("\n") for piece in pieces(row)]
        if rows and not stands_close:
            self.gap()
        self.lines += [Line(row, BODY_HEIGHT, bold) for row in rows]

    def row(self, cells: Sequence[str]) -> None:
        """Add a row of a table."""
        shown = [" ".join(cell.split()) for cell in cells]
        if any(shown):
            self.lines += [Line(piece, BODY_HEIGHT) for piece in pieces(CELL_MARK.join(shown))]

    def end_table(self) -> None:
        """Count a table."""
        self._beside.findings.tables += 1

    def gap(self) -> None:
        """Part what comes next from what there is."""
        if self.lines and self.lines[-1].text:
            self.lines.append(Line("", BODY_HEIGHT))

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Note text that nobody sees."""
        self._beside.hide(kind, text)

    def leave_out(self, code: str, name: str = "") -> None:
        """Count something that is not read."""
        self._beside.leave_out(code, name)


def slide_page(number: int, shapes: Sequence[Shape], notes: Sequence[Shape] = ()) -> Page:
    """Return the page of slide `number`; one without text is `without_text`."""
    title = next((" ".join(_texts(s)) for s in shapes if s.is_title and s.lines), "")
    lines: list[Line] = []
    for shape in (*in_reading_order(shapes), *notes):
        if not _texts(shape):
            continue
        if lines:
            lines.append(Line("", BODY_HEIGHT))
        if shape.is_title:
            lines += [Line(text, _TITLE_HEIGHT, bold=True) for text in _texts(shape)]
        else:
            lines += _without_edges(shape.lines)
    state: PageState = "text" if lines else "without_text"
    return Page(number, tuple(lines), state, label=title[:_LONGEST_LABEL_CHARS])


def in_reading_order(shapes: Sequence[Shape]) -> list[Shape]:
    """Return the title, then rows of shapes from the top, each row from the left."""
    titles = [shape for shape in shapes if shape.is_title]
    rows: list[list[Shape]] = []
    for shape in sorted((s for s in shapes if not s.is_title), key=lambda s: (s.top, s.left)):
        if rows and _stands_beside(rows[-1][0], shape):
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return titles + [shape for row in rows for shape in sorted(row, key=lambda s: s.left)]


def _stands_beside(first: Shape, second: Shape) -> bool:
    shared = min(first.top + first.height, second.top + second.height) - second.top
    return shared > _SAME_ROW * min(first.height, second.height)


def _texts(shape: Shape) -> list[str]:
    return [line.text for line in shape.lines if line.text]


def _without_edges(lines: Sequence[Line]) -> list[Line]:
    kept = list(lines)
    while kept and not kept[-1].text:
        kept.pop()
    return kept
