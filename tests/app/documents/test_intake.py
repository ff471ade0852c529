import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from app.children import Verb
from app.documents.document import Line
from app.documents.folders import expand
from app.documents.intake import Intake, IntakeProgress, ranges
from app.documents.ocr.frames import ENGINE, RecognizedPage, dump
from app.documents.reader import read_document
from app.documents.report_text import report_lines
from app.documents.values import LeftOut
from inference.child import Child
from tests.pdf_maker import write_pdf

Launch = Callable[[Verb], Child]


class Kept:
    """Recognized pages in memory."""

    def __init__(self) -> None:
        self.pages: dict[tuple[str, int, str], bytes] = {}

    def get(self, sha256: str, number: int, engine: str) -> bytes | None:
        return self.pages.get((sha256, number, engine))

    def put(self, sha256: str, number: int, engine: str, page: bytes) -> None:
        self.pages[sha256, number, engine] = page


def _scan(path: Path, pages: int = 1) -> Path:
    sheets = [Image.new("L", (200, 280), 200 + number) for number in range(pages)]
    sheets[0].save(path, save_all=True, append_images=sheets[1:])
    return path


def _no_process() -> Child:
    raise OSError


def test_recognized_text_takes_the_place_of_a_picture(tmp_path: Path, launch: Launch) -> None:
    path = _scan(tmp_path / "scan.pdf")
    kept = Kept()
    sha256 = read_document(path, launch=partial(launch, "document")).sha256
    page = RecognizedPage(1, (Line("Invoice 4711", box=(0.1, 0.1, 0.5, 0.2)),), 0.93)
    kept.put(sha256, 1, ENGINE, dump(page))
    seen: list[IntakeProgress] = []
    document = Intake(partial(launch, "document"), _no_process, kept).read(
        path, on_progress=seen.append
    )
    assert document.text == "Invoice 4711"
    assert document.pages[0].ocr_confidence == 0.93
    assert (document.report.ocr, document.report.without_text, document.report.words) == (1, 0, 2)
    assert document.report.ocr_confidence == 0.93
    assert [(step.stage, step.done, step.total) for step in seen] == [
        ("reading", 1, 1),
        ("recognizing", 1, 1),
    ]
    assert "recognized in pictures: 1 page, 93 % sure" in list(report_lines(document.report))


def test_what_cannot_be_recognized_takes_nothing_away(tmp_path: Path, launch: Launch) -> None:
    path = _scan(tmp_path / "scan.pdf", 2)
    document = Intake(partial(launch, "document"), _no_process).read(path)
    assert document.report.without_text == 2
    assert [one.count for one in document.report.left_out] == [2]


def test_without_recognition_a_picture_stays_a_page_without_text(
    tmp_path: Path, launch: Launch
) -> None:
    document = Intake(partial(launch, "document")).read(_scan(tmp_path / "scan.pdf"))
    assert [page.state for page in document.pages] == ["without_text"]
    assert not document.text


def test_the_time_left_is_told_once_it_can_be_known(tmp_path: Path, launch: Launch) -> None:
    path = write_pdf(tmp_path / "four.pdf", [["Some text."]] * 4)
    ticks = iter((0.0, 0.5, 2.0, 3.0, 4.0))
    seen: list[IntakeProgress] = []
    intake = Intake(partial(launch, "document"), now_s=lambda: next(ticks))
    intake.read(path, on_progress=seen.append)
    assert [step.seconds_left for step in seen] == [None, 2.0, 1.0, 0.0]


def test_folders_are_followed_and_what_is_no_file_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "b inner"
    inner.mkdir()
    for path in (tmp_path / "C.txt", tmp_path / "a.txt", inner / "z.txt", tmp_path / ".hidden"):
        path.write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = list(expand([tmp_path, tmp_path / "missing.txt"]))
    assert found == [
        tmp_path / "a.txt",
        inner / "z.txt",
        tmp_path / "C.txt",
        LeftOut("link_left_out", "loop"),
        LeftOut("link_left_out", "pipe"),
        tmp_path / "missing.txt",
    ]


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([4], "4"), ([1, 2, 3, 7, 9, 10], "1-3, 7, 9-10")]
)
def test_page_numbers_are_shown_as_ranges(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text
