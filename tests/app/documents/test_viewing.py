import io
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from app.children import Verb
from app.documents.document import Line
from app.documents.sandbox import Limits
from app.documents.viewing import Viewer, has_look
from app.errors import DocumentLocked, DocumentTooLarge, DocumentUnreadable
from inference.child import Child
from inference.errors import Cancelled
from tests.pdf_maker import Text, write_pdf

View = Callable[..., Viewer]


@pytest.fixture
def view(launch: Callable[[Verb], Child]) -> Iterator[View]:
    """Open a viewer that the test closes."""
    viewers: list[Viewer] = []

    def start(source: Path | bytes, **options: object) -> Viewer:
        viewers.append(Viewer(source, launch=partial(launch, "view"), **options))  # type: ignore[arg-type]
        return viewers[-1]

    yield start
    for viewer in viewers:
        viewer.close()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_pdf(
        tmp_path / "report.pdf",
        [
            [Text("Harvest", 20, bold=True), "The farm sold wheat to the", "neighbors in spring."],
            ["Nothing of the kind here."],
        ],
    )


def darkest(rgb: bytes, width: int, box: tuple[float, float, float, float]) -> int:
    """Return the darkest value inside a box of a picture."""
    height = len(rgb) // 3 // width
    left, right = int(box[0] * width), int(box[2] * width) + 1
    top, bottom = int(box[1] * height), int(box[3] * height) + 1
    return min(rgb[(y * width + x) * 3] for y in range(top, bottom) for x in range(left, right))


def test_pages_are_drawn_with_what_is_quoted_of_them(view: View, report: Path) -> None:
    viewer = view(report)
    assert viewer.sizes() == ((612, 792), (612, 792))
    page = viewer.render(1, 72, ("sold wheat to the neighbors",))
    assert (page.width, page.height, len(page.rgb)) == (612, 792, 612 * 792 * 3)
    first, second = page.boxes
    assert first[1] < second[1]
    assert first[0] > second[0], "it begins in the middle of the first line"
    assert all(0 <= edge <= 1 for box in page.boxes for edge in box)
    assert darkest(page.rgb, page.width, first) < 100
    assert darkest(page.rgb, page.width, second) < 100
    assert viewer.render(2, 72, ("sold wheat to the neighbors",)).boxes == ()


def test_a_word_is_found_on_its_pages_whatever_its_case(view: View, report: Path) -> None:
    viewer = view(report)
    assert viewer.find("the NEIGHBORS") == (1,)
    assert viewer.find("the") == (1, 2)
    assert viewer.find("sheep") == ()
    assert viewer.find(" ") == ()


def test_marks_of_a_recognized_page_are_found_in_its_lines(view: View) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (400, 200), "white").save(stream, "PNG")
    viewer = view(stream.getvalue())
    lines = (Line("Total 12.50", box=(0.25, 0.25, 0.75, 0.5)),)
    page = viewer.render(1, 400, ("total 12.50",), lines)
    assert (page.width, page.height) == (400, 200)
    (box,) = page.boxes
    assert box == pytest.approx((0.25, 0.25, 0.75, 0.5))
    assert len(viewer.sizes()) == 1


def test_marks_on_a_turned_page_are_where_they_are_seen(
    view: View, report: Path, tmp_path: Path
) -> None:
    turned = tmp_path / "turned.pdf"
    turned.write_bytes(report.read_bytes().replace(b"/Type /Page ", b"/Type /Page /Rotate 90 "))
    viewer = view(turned)
    assert viewer.sizes()[0] == (792, 612)
    page = viewer.render(1, 72, ("Harvest",))
    ((left, top, right, bottom),) = page.boxes
    assert right - left < bottom - top
    assert darkest(page.rgb, page.width, (left, top, right, bottom)) < 100


def test_what_cannot_be_shown_says_why(view: View, tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_text("only words")
    with pytest.raises(DocumentUnreadable) as refused:
        view(text).sizes()
    assert refused.value.facts["name"] == "note.txt"
    with pytest.raises(DocumentUnreadable):
        view(tmp_path / "missing.pdf").sizes()
    assert [has_look("pdf"), has_look("image"), has_look("docx")] == [True, True, False]


def test_a_page_that_is_not_there_ends_nothing(view: View, report: Path) -> None:
    viewer = view(report)
    with pytest.raises(DocumentUnreadable):
        viewer.render(3, 72)
    assert viewer.render(2, 20).width == 170


def test_a_viewer_that_died_is_started_again(report: Path, launch: Callable[[Verb], Child]) -> None:
    children: list[Child] = []

    def start() -> Child:
        children.append(launch("view"))
        return children[-1]

    viewer = Viewer(report, launch=start)
    viewer.sizes()
    children[0].kill()
    with pytest.raises(DocumentUnreadable):
        viewer.render(1, 20)
    assert viewer.render(1, 20).width == 170
    assert len(children) == 2
    viewer.close()


def test_memory_is_limited(view: View, report: Path) -> None:
    with pytest.raises(DocumentTooLarge):
        view(report, limits=Limits(memory_bytes=1_000_000)).sizes()


def test_closing_ends_what_is_waited_for(view: View, tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "many.pdf", [["Some words."] * 40 for _ in range(400)])
    viewer = view(path)
    viewer.sizes()
    ended: list[BaseException] = []

    def search() -> None:
        try:
            viewer.find("nothing like it")
        except Cancelled as error:
            ended.append(error)

    thread = threading.Thread(target=search)
    thread.start()
    viewer.close()
    thread.join(10)
    assert len(ended) == 1
    with pytest.raises(Cancelled):
        viewer.sizes()


@pytest.mark.corpus
def test_a_locked_document_asks_for_its_password(view: View, corpus: Path) -> None:
    path = corpus / "un_password.pdf"
    for password in (None, "wrong"):
        with pytest.raises(DocumentLocked) as refused:
            view(path, password=password).sizes()
        assert refused.value.facts["wrong"] == (password is not None)
    assert view(path, password="password").sizes()


@pytest.mark.corpus
def test_sentences_of_a_real_document_are_marked(view: View, corpus: Path) -> None:
    viewer = view(corpus / "sf_GeoTopo-komprimiert.pdf")
    assert len(viewer.sizes()) == 117
    pages = viewer.find("Topologischer Raum")
    assert pages
    assert viewer.render(pages[-1], 50, ("topologischer Raum",)).boxes
