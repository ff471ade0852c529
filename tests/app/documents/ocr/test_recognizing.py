"""Pages that are drawn, recognized by the real models in a real process."""

import re
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from app.children import Verb
from app.documents.ocr.frames import ENGINE, RecognizedPage, dump
from app.documents.ocr.recognizing import recognize, recognize_once
from app.documents.sandbox import Limits
from app.errors import DocumentLocked, DocumentTooLarge, DocumentUnreadable
from inference.child import Child
from inference.errors import Cancelled
from tests.page_drawer import draw_page, png_of, save

LETTER = [
    "Dear neighbors, the farm sold wheat in spring",
    "and paid 1,250.40 in taxes on 3 May 2024.",
    "The council will meet on Monday at eight.",
]
WIDE = (1240, 420)


@pytest.fixture
def start(launch: Callable[[Verb], Child]) -> Callable[[], Child]:
    return partial(launch, "ocr")


def read(
    path: Path, start: Callable[[], Child], pages: tuple[int, ...] = (1,)
) -> list[RecognizedPage]:
    found: list[RecognizedPage] = []
    recognize(path, pages, launch=start, on_page=found.append)
    return found


def words(page: RecognizedPage) -> str:
    return " ".join(line.text for line in page.lines if line.text)


def letters(text: str) -> str:
    return re.sub(r"\W", "", text)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_is_read_whichever_way_up_it_lies(
    tmp_path: Path, start: Callable[[], Child], turn: int
) -> None:
    image = draw_page([LETTER], size=WIDE).rotate(turn, expand=True)
    (page,) = read(save(image, tmp_path / "letter.png"), start)
    assert letters(words(page)) == letters(" ".join(LETTER))
    assert page.confidence > 0.9
    assert page.reason == ""
    left, top, right, bottom = page.lines[0].box
    # Its first line is at the top, at the left, at the bottom, at the right.
    edges = {0: 1 - bottom, 90: 1 - right, 180: top, 270: left}
    assert edges[turn] > 0.5
    assert (right - left > bottom - top) == (turn in (0, 180))


def test_two_columns_under_a_title(tmp_path: Path, start: Callable[[], Child]) -> None:
    left = [
        "The harvest was good in the",
        "year after the flood, and the",
        "barns were full again.",
    ]
    right = ["Nobody in the valley could", "remember such a summer, or", "wished to have another."]
    image = draw_page([left, right], title="The harvest", size=(1100, 460))
    (page,) = read(save(image, tmp_path / "columns.png"), start)
    assert letters(words(page)) == letters(" ".join(["The harvest", *left, *right]))
    title, *rest = [line for line in page.lines if line.text]
    assert title.height > 1.2 * max(line.height for line in rest)


def test_a_small_dark_screenshot_is_read(tmp_path: Path, start: Callable[[], Child]) -> None:
    image = draw_page([LETTER], size=(420, 110), size_px=13, colors=("#d0d0d0", "#1e1e1e"))
    (page,) = read(save(image, tmp_path / "screen.png"), start)
    assert letters(words(page)) == letters(" ".join(LETTER))


def test_pages_of_one_file_share_a_process(tmp_path: Path, start: Callable[[], Child]) -> None:
    images = [draw_page([[f"This is page number {n} of it"]], size=(900, 200)) for n in (1, 2, 3)]
    path = tmp_path / "three.tiff"
    images[0].save(path, save_all=True, append_images=images[1:])
    children: list[Child] = []

    def launch() -> Child:
        children.append(start())
        return children[-1]

    pages = read(path, launch, (3, 1))
    assert [page.number for page in pages] == [3, 1]
    assert "number 3" in words(pages[0])
    assert "number 1" in words(pages[1])
    assert len(children) == 1


@pytest.mark.parametrize("picture", ["blank", "noise"])
def test_what_is_no_text_has_no_lines(
    tmp_path: Path, start: Callable[[], Child], picture: str
) -> None:
    image = Image.new("RGB", (600, 400), "white")
    if picture == "noise":
        image = Image.effect_noise((600, 400), 90).convert("RGB")
    (page,) = read(save(image, tmp_path / "picture.png"), start)
    assert page.lines == ()


def test_a_page_that_kills_its_process_is_skipped(
    tmp_path: Path, start: Callable[[], Child]
) -> None:
    images = [draw_page([[f"This is page number {n} of it"]], size=(900, 200)) for n in (1, 2, 3)]
    path = tmp_path / "three.tiff"
    images[0].save(path, save_all=True, append_images=images[1:])
    children: list[Child] = []
    pages: list[RecognizedPage] = []

    def launch() -> Child:
        children.append(start())
        return children[-1]

    def take(page: RecognizedPage) -> None:
        pages.append(page)
        if page.number == 1:
            children[0].kill()

    recognize(path, (1, 2, 3), launch=launch, on_page=take)
    # The second may have been on its way already.
    skipped = [page for page in pages if page.reason]
    assert [page.number for page in pages] == [1, 2, 3]
    assert [page.reason for page in skipped] in ([], ["crash"])
    assert len(children) == 1 + bool(skipped)
    assert "number 3" in words(pages[2]) or skipped[0].number == 3


def test_a_process_that_never_begins_is_no_fault_of_a_page(
    tmp_path: Path, start: Callable[[], Child]
) -> None:
    path = save(draw_page([LETTER], size=WIDE), tmp_path / "letter.png")

    def stillborn() -> Child:
        child = start()
        child.kill()
        return child

    with pytest.raises(DocumentUnreadable):
        read(path, stillborn)
    with pytest.raises(DocumentTooLarge):
        recognize(path, (1,), launch=start, on_page=print, limits=Limits(memory_bytes=60_000_000))


def test_cancelling_ends_it(tmp_path: Path, start: Callable[[], Child]) -> None:
    images = [draw_page([[f"Page {n}"]], size=(500, 150)) for n in range(20)]
    path = tmp_path / "many.tiff"
    images[0].save(path, save_all=True, append_images=images[1:])
    cancelled = threading.Event()
    pages: list[RecognizedPage] = []

    def take(page: RecognizedPage) -> None:
        pages.append(page)
        cancelled.set()

    with pytest.raises(Cancelled):
        recognize(path, range(1, 21), launch=start, on_page=take, cancelled=cancelled)
    assert len(pages) == 1


class Shelf:
    """Keeps pages in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int, str], bytes] = {}

    def get(self, sha256: str, number: int, engine: str) -> bytes | None:
        return self.kept.get((sha256, number, engine))

    def put(self, sha256: str, number: int, engine: str, page: bytes) -> None:
        self.kept[sha256, number, engine] = page


def never() -> Child:
    raise AssertionError("a process was started")


def test_a_page_that_is_known_starts_no_process(tmp_path: Path, start: Callable[[], Child]) -> None:
    path = save(draw_page([LETTER], size=WIDE), tmp_path / "letter.png")
    shelf = Shelf()
    first: list[RecognizedPage] = []
    recognize_once(path, "aa", (1,), known=shelf, launch=start, on_page=first.append)
    second: list[RecognizedPage] = []
    recognize_once(path, "aa", (1,), known=shelf, launch=never, on_page=second.append)
    assert second == first
    assert list(shelf.kept) == [("aa", 1, ENGINE)]


def test_a_kept_page_that_means_nothing_is_read_again(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("aa", 1, ENGINE, b"{}")
    shelf.put("aa", 2, ENGINE, dump(RecognizedPage(2, (), 0.0)))
    pages: list[RecognizedPage] = []
    missing = tmp_path / "missing.png"
    with pytest.raises(AssertionError, match="started"):
        recognize_once(missing, "aa", (1, 2), known=shelf, launch=never, on_page=pages.append)
    assert [page.number for page in pages] == [2]


def test_a_picture_that_claims_too_much_is_refused(
    tmp_path: Path, start: Callable[[], Child]
) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_of(60_000, 60_000))
    with pytest.raises(DocumentTooLarge):
        read(path, start)


@pytest.mark.corpus
def test_a_locked_document_needs_its_password(corpus: Path, start: Callable[[], Child]) -> None:
    with pytest.raises(DocumentLocked) as refused:
        read(corpus / "un_password.pdf", start)
    assert refused.value.facts["wrong"] == 0
