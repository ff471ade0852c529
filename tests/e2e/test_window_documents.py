"""A document is dragged into the real window, asked about, and its page opens from the answer."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from app.chat.values import Message
from app.paths import Paths
from tests.e2e.desktop import TOOLS, Desktop, Program, kept_messages, running, wait_until
from tests.e2e.test_window import desktop, places
from tests.pdf_maker import write_pdf

__all__ = ("desktop", "places")

pytestmark = [
    pytest.mark.window,
    pytest.mark.starter,
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        any(shutil.which(tool) is None for tool in TOOLS),
        reason="needs Xvfb, openbox and xdotool",
    ),
]

QUESTION = "By how much did the costs of the harbor fall?"
FACT = "The costs of the harbor fell by 4 percent in the third quarter."
FILLER = [f"Nothing of note was written on line {line} of this page." for line in range(30)]
WIDTH_PX = 1060
MARK = QColor("#ffe27a")
LINK = QColor("#1c5fd1")
_SOURCE = """
import sys
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QApplication, QLabel

class Source(QLabel):
    def mousePressEvent(self, event):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(sys.argv[1])])
        drag = QDrag(self)
        drag.setMimeData(data)
        print(drag.exec(Qt.DropAction.CopyAction), flush=True)

application = QApplication(sys.argv)
source = Source("drag me")
source.setWindowTitle("source")
source.resize(120, 80)
source.show()
application.exec()
"""


@contextmanager
def dragged(desktop: Desktop, file: Path) -> Iterator[Callable[[int, int], None]]:
    """Give what drags `file` from another program to a place of the screen and drops it there."""
    source = subprocess.Popen(
        [sys.executable, "-c", _SOURCE, str(file)],
        env=desktop.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        window = desktop.xdotool("search", "--sync", "--name", "^source$").splitlines()[-1]
        desktop.xdotool("windowmove", "--sync", window, str(WIDTH_PX + 40), "40")

        def drop(x_px: int, y_px: int) -> None:
            desktop.xdotool("mousemove", "--window", window, "30", "30", "mousedown", "1")
            for step in range(1, 11):
                at_px = WIDTH_PX + 70 - step * (WIDTH_PX + 70 - x_px) // 10
                desktop.xdotool("mousemove", str(at_px), str(y_px), "sleep", "0.05")
            desktop.xdotool("sleep", "0.3", "mouseup", "1")
            assert source.stdout is not None
            assert "CopyAction" in source.stdout.readline()

        yield drop
    finally:
        source.terminate()
        source.communicate(timeout=10)


def seen(program: Program, folder: Path) -> QImage:
    """Return the window as it is on the screen."""
    program.photograph(folder / "seen.png")
    return QImage(str(folder / "seen.png"))


def places_of(image: QImage, color: QColor, left_px: int, right_px: int) -> list[tuple[int, int]]:
    """Return where a color is seen between two columns of the picture."""
    wanted = color.rgb()
    return [
        (x, y)
        for y in range(image.height())
        for x in range(left_px, min(right_px, image.width()))
        if image.pixel(x, y) == wanted
    ]


def test_a_dropped_document_answers_and_its_page_opens_from_the_answer(
    desktop: Desktop, places: Paths, tmp_path: Path
) -> None:
    # Too long to be read whole, so that it is answered from passages.
    pages = [FILLER] * 40
    pages[1] = [*FILLER[:12], FACT, *FILLER[12:20]]
    file = write_pdf(tmp_path / "harbor.pdf", pages)

    def answer() -> Message | None:
        found = [one for one in kept_messages(places, tmp_path) if one.role == "assistant"]
        ended = [one for one in found if one.state in ("complete", "length", "failed")]
        return ended[-1] if ended else None

    with running(desktop, places) as program:
        desktop.xdotool("windowsize", "--sync", program.window, str(WIDTH_PX), "800")
        desktop.xdotool("windowmove", program.window, "0", "0")
        with dragged(desktop, file) as drop:
            # The other program must live until its data have been taken.
            drop(WIDTH_PX // 2, 300)
            program.find_window()
            program.type(QUESTION)

            def is_answered() -> bool:
                program.key("Return")  # is not taken before the document has been read
                return answer() is not None

            wait_until(is_answered, "an answer", 120)
            message = answer()
            assert message is not None
            assert message.citations, message
            assert {citation.place.page for citation in message.citations} == {2}

            def is_shown() -> bool:
                links = places_of(seen(program, tmp_path), LINK, 300, WIDTH_PX)
                if links:
                    program.click(*links[len(links) // 2])
                return bool(places_of(seen(program, tmp_path), MARK, WIDTH_PX // 2, WIDTH_PX))

            wait_until(is_shown, "the page with the passage marked")
        program.close()
