"""Pages as pictures: only what is in sight, marks where they belong, keys for everything."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.errors import DocumentUnreadable
from tests.ui.documents.conftest import ShowLook, document_of
from tests.ui.documents.painted import PaintedPages
from ui.documents.renders import PageRenders
from ui.documents.viewer import DocumentViewer, Passage
from ui.tasks import Tasks
from ui.theme import Theme

LONG = 600


def pixel(viewer: DocumentViewer, x: int, y: int) -> QColor:
    view = viewer.pages.viewport()
    image: QImage = view.grab().toImage()
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(x * ratio), round(y * ratio))


def test_a_long_document_opens_at_once_and_only_what_is_in_sight_is_drawn(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    painted = PaintedPages(LONG)
    show_look(document_of(*["text"] * LONG), painted)
    qtbot.waitUntil(lambda: viewer.pages.drawn_pages() >= {1, 2})
    assert max(viewer.pages.drawn_pages()) <= 4


def test_pages_that_were_scrolled_past_are_never_drawn(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    painted = PaintedPages(LONG)
    painted.hold()
    show_look(document_of(*["text"] * LONG), painted)
    for page in (50, 120, 333):
        viewer.pages.go_to(page)
    painted.release()
    qtbot.waitUntil(lambda: 333 in viewer.pages.drawn_pages())
    drawn = {number for number, _, _ in painted.rendered}
    assert not drawn & {50, 51, 120, 121}


def test_pictures_far_away_are_let_go(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    show_look(document_of(*["text"] * 200), PaintedPages(200))
    viewer.resize(1_600, 600)
    for page in range(1, 60, 2):
        viewer.pages.go_to(page)
        qtbot.waitUntil(lambda page=page: page in viewer.pages.drawn_pages())  # type: ignore[misc]
    assert len(viewer.pages.drawn_pages()) < 40
    viewer.pages.go_to(1)
    qtbot.waitUntil(lambda: 1 in viewer.pages.drawn_pages())


def test_a_passage_is_marked_and_brought_into_sight(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot, theme: Theme
) -> None:
    show_look(document_of("a", "b", "c"), PaintedPages(), Passage(2, ("costs fell",)))
    qtbot.waitUntil(lambda: bool(viewer.pages.boxes(2)))
    assert viewer.page == 2
    assert viewer.note == ""
    found = {
        pixel(viewer, viewer.pages.viewport().width() // 2, y).name()
        for y in range(0, viewer.pages.viewport().height(), 3)
    }
    gray, mark = 200 / 255, theme.color("mark")
    shaded = QColor.fromRgbF(mark.redF() * gray, mark.greenF() * gray, mark.blueF() * gray)
    close = [
        name
        for name in found
        if max(
            abs(QColor(name).red() - shaded.red()),
            abs(QColor(name).green() - shaded.green()),
            abs(QColor(name).blue() - shaded.blue()),
        )
        < 4
    ]
    assert close, found


def test_a_passage_that_is_not_found_on_its_page_is_said_to_be_so(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    class Unmarked(PaintedPages):
        def render(self, number, dpi, marks=(), lines=()):  # type: ignore[no-untyped-def]
            return super().render(number, dpi, (), lines)

    show_look(document_of("a", "b"), Unmarked(), Passage(2, ("costs fell",)))
    qtbot.waitUntil(lambda: "exact place was not found" in viewer.note)
    assert viewer.page == 2


def test_marks_on_a_recognized_page_are_looked_for_in_its_lines(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    painted = PaintedPages()
    document = document_of("costs fell", "b", ocr=0.9)
    show_look(document, painted, Passage(1, ("costs fell",)))
    qtbot.waitUntil(lambda: document.pages[0].lines in painted.lines)


def test_paper_is_white_in_the_dark_theme(
    viewer: DocumentViewer, show_look: ShowLook, theme: Theme
) -> None:
    theme.set_scheme("dark")
    painted = PaintedPages()
    painted.hold()
    show_look(document_of("a", "b"), painted)
    assert pixel(viewer, 60, 60).name() == "#ffffff"
    assert pixel(viewer, 3, 3) == theme.color("desk")
    painted.release()


def test_zoom_by_keys_keeps_the_page_and_fits_again(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    show_look(document_of(*["a"] * 30), PaintedPages(30))
    viewer.activateWindow()
    viewer.pages.setFocus()
    viewer.pages.go_to(12)
    fitted = viewer.pages.zoom
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Plus):
        qtbot.keyClick(viewer.pages, key, Qt.KeyboardModifier.ControlModifier)
    assert viewer.pages.zoom > fitted
    assert viewer.page == 12
    qtbot.keyClick(viewer.pages, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert viewer.pages.zoom == fitted
    qtbot.keyClick(viewer.pages, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert viewer.pages.zoom < fitted
    assert viewer.page == 12


def test_a_page_number_is_typed(viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot) -> None:
    show_look(document_of(*["a"] * 30), PaintedPages(30))
    field = viewer.bar.field
    field.selectAll()
    qtbot.keyClicks(field, "17")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert viewer.page == 17
    assert field.text() == "17"


def test_search_goes_through_all_places_and_round(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    show_look(document_of("Costs and costs", "none", "more\ncosts"), PaintedPages())
    viewer.activateWindow()
    viewer.pages.setFocus()
    qtbot.keyClick(viewer.pages, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert viewer.find_bar.isVisible()
    qtbot.keyClicks(viewer.find_bar.field, "costs")
    qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Return)
    assert viewer.find_bar.count_text == "1 of 3"
    for _ in range(2):
        qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Return)
    assert (viewer.find_bar.count_text, viewer.page) == ("3 of 3", 3)
    qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Return)
    assert (viewer.find_bar.count_text, viewer.page) == ("1 of 3", 1)
    qtbot.keyClick(viewer.find_bar.field, Qt.Key.Key_Escape)
    assert not viewer.find_bar.isVisible()


def test_a_word_that_is_not_there_is_said_to_be_so(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    show_look(document_of("a"), PaintedPages(1))
    viewer.find_bar.open()
    qtbot.keyClicks(viewer.find_bar.field, "zebra")
    qtbot.waitUntil(lambda: viewer.find_bar.count_text == "Not found")


def test_small_pages_are_drawn_and_lead_to_their_pages(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    painted = PaintedPages(LONG)
    show_look(document_of(*["a"] * LONG), painted)
    viewer.bar.thumbnails_wanted.emit(True)
    small = [number for number, dpi, _ in painted.rendered if dpi < 12]
    qtbot.waitUntil(lambda: any(dpi < 12 for _, dpi, _ in painted.rendered))
    assert len(small) < 20
    qtbot.keyClick(viewer.thumbnails, Qt.Key.Key_Down)
    assert viewer.page == 2


def test_a_file_that_cannot_be_drawn_is_shown_as_text(
    viewer: DocumentViewer, tasks: Tasks, qtbot: QtBot
) -> None:
    broken = PaintedPages(error=DocumentUnreadable(name="a.pdf", reason="it is damaged"))
    viewer.show_look(
        document_of("first", "costs fell"),
        PageRenders(lambda: broken, tasks),
        Passage(2, ("costs fell",)),
    )
    qtbot.waitUntil(lambda: not viewer.shows_look)
    assert viewer.text.marked == ("costs fell",)
    assert "cannot be drawn" in viewer.note


def test_the_process_is_ended_with_the_document(
    viewer: DocumentViewer, show_look: ShowLook, qtbot: QtBot
) -> None:
    painted = PaintedPages()
    show_look(document_of("a"), painted)
    viewer.close_document()
    qtbot.waitUntil(lambda: painted.is_closed)


def test_a_screen_reader_hears_the_text_of_the_page(
    viewer: DocumentViewer, show_look: ShowLook
) -> None:
    show_look(document_of("first words", "second words"), PaintedPages(2))
    assert viewer.pages.accessibleName() == "Pages of report.pdf"
    assert viewer.pages.accessibleDescription() == "first words"
    viewer.pages.go_to(2)
    assert viewer.pages.accessibleDescription() == "second words"
