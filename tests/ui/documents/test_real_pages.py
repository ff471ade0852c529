"""Pages drawn by the real process behind its walls."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.children import Verb
from app.documents.reader import read_document
from app.documents.viewing import Viewer
from inference.child import Child
from tests.pdf_maker import write_pdf
from ui.documents.renders import PageRenders
from ui.documents.viewer import DocumentViewer, Passage
from ui.tasks import Tasks


def test_a_passage_is_marked_on_the_page_as_it_looks(
    viewer: DocumentViewer,
    tasks: Tasks,
    qtbot: QtBot,
    tmp_path: Path,
    launch: Callable[[Verb], Child],
) -> None:
    file = write_pdf(tmp_path / "a.pdf", [["First page."], ["Sales rose.", "Costs fell by 4 %."]])
    document = read_document(file, launch=partial(launch, "document"))
    children: list[Child] = []

    def start() -> Child:
        children.append(launch("view"))
        return children[-1]

    renders = PageRenders(lambda: Viewer(file, launch=start), tasks)
    viewer.show_look(document, renders, Passage(2, ("Costs fell by 4 %.",)))
    qtbot.waitUntil(lambda: bool(viewer.pages.boxes(2)), timeout=30_000)
    (box,) = viewer.pages.boxes(2)
    left, top, right, bottom = box
    assert 0.1 < left < right < 0.5
    assert 0.05 < top < bottom < 0.3
    assert viewer.page == 2
    viewer.close_document()
    qtbot.waitUntil(lambda: [child.exit_code() is None for child in children] == [False])
