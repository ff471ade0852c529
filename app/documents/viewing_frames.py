"""What crosses the pipe between the program and the process that shows a document.

Rows of pixels follow a `Drawn` as they are, because JSON would make them four times as large.
"""

from dataclasses import dataclass, field

from inference.errors import Fact
from inference.frames import Codec

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class OpenView:
    """Open a document.

    Attributes:
        path: As `frames.wire_path` writes it; where it is empty the document itself follows.
        memory_bytes: Address space the child may use, where the system can limit it.
    """

    path: str
    password: str | None
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class ViewOpened:
    """It is open; width and height in points of each of its pages."""

    sizes: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw page `number`, 1-based, and say where `marks` stand on it."""

    number: int
    dpi: float
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page was drawn; `width * height * 3` bytes follow.

    Attributes:
        boxes: Left, top, right and bottom edge of what is marked, as shares of the page.
    """

    width: int
    height: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Find:
    """Find the pages on which `text` stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """They are these, 1-based."""

    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ViewFailed:
    """What was asked cannot be done: a code of `app.errors` and its facts."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


VIEW_COMMANDS = Codec((OpenView, Draw, Find))
VIEW_EVENTS = Codec((ViewOpened, Drawn, Found, ViewFailed))
