from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.documents.document import Kind, Line, Page, ReadDocument
from app.documents.values import IntakeReport, Unit
from tests.ui.documents.painted import PaintedPages
from ui.documents.renders import PageRenders
from ui.documents.viewer import DocumentViewer, Passage
from ui.tasks import Tasks
from ui.theme import Theme

ShowLook = Callable[..., PageRenders]


def document_of(
    *texts: str, kind: Kind = "pdf", unit: Unit = "page", ocr: float = 0.0
) -> ReadDocument:
    """Return a document of pages that hold these texts, a line a line."""
    pages = tuple(
        Page(
            number,
            tuple(
                Line(line, cells=_cells(unit, row)) for row, line in enumerate(text.split("\n"), 1)
            ),
            label=f"Part {number}",
            ocr_confidence=ocr,
        )
        for number, text in enumerate(texts, 1)
    )
    return ReadDocument(
        name=f"report.{kind}",
        size_bytes=3,
        sha256="0" * 64,
        kind=kind,
        title="",
        report=IntakeReport(unit, len(pages), len(pages), 0, 0, 12),
        pages=pages,
    )


def _cells(unit: Unit, row: int) -> str:
    return f"A{row}:C{row}" if unit == "sheet" else ""


@pytest.fixture
def viewer(qtbot: QtBot, theme: Theme) -> Iterator[DocumentViewer]:
    viewer = DocumentViewer(theme)
    qtbot.addWidget(viewer)
    viewer.resize(420, 600)
    viewer.show()
    qtbot.waitExposed(viewer)
    yield viewer
    viewer.close_document()


@pytest.fixture
def show_look(viewer: DocumentViewer, tasks: Tasks, qtbot: QtBot) -> ShowLook:
    """Show a document as it looks and wait until its pages are known."""

    def show(
        document: ReadDocument, painted: PaintedPages, passage: Passage | None = None
    ) -> PageRenders:
        renders = PageRenders(lambda: painted, tasks, pages=document.pages)
        viewer.show_look(document, renders, passage)
        qtbot.waitUntil(lambda: viewer.pages.count > 0)
        return renders

    return show
