"""Documents as text: marked passages, sheets as grids, and why there is no picture."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.documents.document import Line, Page
from tests.ui.documents.conftest import document_of
from ui.documents import marking
from ui.documents.searching import search
from ui.documents.sheet_view import SheetView, corner, letters
from ui.documents.viewer import DocumentViewer, Passage
from ui.theme import Theme


def test_a_passage_is_marked_however_its_lines_are_broken(viewer: DocumentViewer) -> None:
    document = document_of("One.", "Costs fell\nby 4 %. Sales rose.", kind="docx", unit="section")
    viewer.show_text(document, "", Passage(2, ("Costs fell by 4 %.",)))
    assert viewer.page == 2
    assert [text.replace("\u2029", " ") for text in viewer.text.marked] == ["Costs fell by 4 %."]
    assert viewer.note == ""


def test_a_file_that_is_gone_or_changed_is_said_to_be_so(viewer: DocumentViewer) -> None:
    viewer.show_text(document_of("One."), "no_file", None)
    assert viewer.note == "The file is not where it was. This is the text that was read."
    viewer.show_text(document_of("One."), "changed", None)
    assert viewer.note == "The file has changed since. This is the text that was read."


def test_cells_are_marked_in_the_grid(viewer: DocumentViewer) -> None:
    document = document_of("Name | Q1 | Q2\nSales | 3 | 4\nIT | 5 | 6", kind="xlsx", unit="sheet")
    viewer.show_text(document, "", Passage(1, ("IT | 5 | 6",), "A3:C3"))
    sheet = viewer.text.sheet.model()
    assert (sheet.rowCount(), sheet.columnCount()) == (3, 3)
    assert sheet.headerData(0, Qt.Orientation.Horizontal) == "A"
    assert sheet.headerData(2, Qt.Orientation.Vertical) == "3"
    role = Qt.ItemDataRole.BackgroundRole
    marked = [row for row in range(3) if sheet.index(row, 0).data(role) is not None]
    assert marked == [2]
    assert viewer.text.sheet.currentIndex().row() == 2


def test_page_down_at_the_end_turns_to_the_next_section(
    viewer: DocumentViewer, qtbot: QtBot
) -> None:
    viewer.show_text(document_of("One.", "Two.", kind="docx", unit="section"), "", None)
    qtbot.keyClick(viewer.text.focusProxy(), Qt.Key.Key_PageDown)
    assert (viewer.page, viewer.text.text) == (2, "Two.")
    assert viewer.bar.field.text() == "2"
    qtbot.keyClick(viewer.text.focusProxy(), Qt.Key.Key_PageUp)
    assert viewer.page == 1


def test_search_marks_words_in_text(viewer: DocumentViewer, qtbot: QtBot) -> None:
    viewer.show_text(document_of("one two", "two three", kind="docx", unit="section"), "", None)
    viewer.find_bar.open()
    qtbot.keyClicks(viewer.find_bar.field, "two")
    qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Return)
    qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Return)
    assert viewer.page == 2
    assert viewer.text.marked == ("two",)


def test_a_divided_word_is_found_as_a_whole() -> None:
    page = Page(1, (Line("a har\ufffe"), Line("bor in fog")))
    assert [(hit.page, hit.nth) for hit in search((page,), "harbor  IN")] == [(1, 0)]
    assert search((page,), "  ") == ()


def test_marks_that_overlap_become_one() -> None:
    assert marking.spans("one two three", ("two three", "one  two", "four")) == [(0, 13)]


def test_columns_are_named_as_in_a_spreadsheet() -> None:
    assert [letters(column) for column in (1, 26, 27, 703)] == ["A", "Z", "AA", "AAA"]
    assert corner("$AB$12:C20") == (28, 12)
    assert corner("") == (0, 0)


def test_empty_cells_keep_their_columns(theme: Theme, qtbot: QtBot) -> None:
    view = SheetView(theme)
    qtbot.addWidget(view)
    view.show_page(Page(1, (Line("CHF |  | x", cells="B2:D2"), Line("| y", cells="C3:D3"))))
    shown = [
        [view.model().index(row, column).data() for column in range(view.model().columnCount())]
        for row in range(2)
    ]
    assert shown == [["CHF", "", "x"], ["", "", "y"]]
    assert view.model().headerData(0, Qt.Orientation.Horizontal) == "B"
