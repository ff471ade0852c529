import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.documents.reader import read_document
from app.documents.sandbox import Limits
from app.errors import (
    DocumentEmpty,
    DocumentError,
    DocumentLocked,
    DocumentTooLarge,
    DocumentUnreadable,
    NotAFile,
)
from inference.child import Child
from inference.errors import Cancelled
from tests.pdf_maker import Text, write_pdf

Start = Callable[[], Child]


def test_a_pdf_comes_with_its_pages_title_and_look(tmp_path: Path, start: Start) -> None:
    path = write_pdf(
        tmp_path / "report.pdf",
        [
            [Text("Results", 18, bold=True), "The farm sold wheat."],
            ["A second page (with brackets)."],
        ],
        title="Annual report",
    )
    document = read_document(path, launch=start)
    assert (document.kind, document.title, document.report.total) == ("pdf", "Annual report", 2)
    heading, body = document.pages[0].lines
    assert heading.bold
    assert not body.bold
    assert heading.height > body.height
    assert document.pages[1].text == "A second page (with brackets)."


def test_pages_without_text_are_counted(tmp_path: Path, start: Start) -> None:
    path = write_pdf(tmp_path / "scan.pdf", [["Some text stands on this page."], [], []])
    report = read_document(path, launch=start).report
    assert (report.total, report.read, report.without_text) == (3, 3, 2)


def test_progress_counts_up_to_the_last_page(tmp_path: Path, start: Start) -> None:
    path = write_pdf(tmp_path / "three.pdf", [["One."], ["Two."], ["Three."]])
    seen: list[tuple[int, int]] = []
    read_document(path, launch=start, on_progress=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Größe und Gewicht"),
        ("utf-8-sig", "Größe und Gewicht"),
        ("utf-16", "Größe und Gewicht"),
        ("utf-16-le", "Größe und Gewicht"),
        ("utf-16-be", "Größe und Gewicht"),
        ("utf-32", "Größe und Gewicht"),
        ("cp1252", "Größe und Gewicht"),
        ("cp866", "Однажды, в студеную зимнюю пору, я из лесу вышел; был сильный мороз."),
    ],
)
def test_text_is_read_in_its_encoding(
    tmp_path: Path, start: Start, encoding: str, text: str
) -> None:
    path = tmp_path / "note.bin"
    path.write_bytes(text.encode(encoding))
    document = read_document(path, launch=start)
    assert (document.kind, document.text) == ("text", text)


def test_markdown_headings_become_bookmarks(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(
        "# Plan\n\nWe **start** on [Monday](https://example.org).\n\n## Money\n\nNone.\n"
    )
    document = read_document(path, launch=start)
    assert document.kind == "markdown"
    assert [(mark.level, mark.title) for mark in document.bookmarks] == [(0, "Plan"), (1, "Money")]
    assert "We start on Monday." in document.text


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "damaged"),
        (b"\x7fELF" + bytes(200), "program"),
        (b"PK\x03\x04" + bytes(20), "damaged"),
        (b"%PDF-1.4\nnothing more", "damaged"),
        (bytes(range(256)) * 4, "no kind"),
    ],
)
def test_other_formats_are_refused_by_what_they_are(
    tmp_path: Path, start: Start, content: bytes, word: str
) -> None:
    path = tmp_path / "named.pdf"
    path.write_bytes(content)
    with pytest.raises(DocumentUnreadable) as refused:
        read_document(path, launch=start)
    assert word in str(refused.value.facts["reason"])
    assert refused.value.facts["name"] == "named.pdf"


def test_what_is_no_file_starts_no_process(tmp_path: Path) -> None:
    def never() -> Child:
        raise AssertionError("a process was started")

    empty = tmp_path / "empty.pdf"
    empty.touch()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, error in (
        (tmp_path, NotAFile),
        (tmp_path / "missing.pdf", NotAFile),
        (pipe, NotAFile),
        (empty, DocumentEmpty),
    ):
        with pytest.raises(error):
            read_document(path, launch=never)


def test_white_space_alone_is_empty(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "blank.txt"
    path.write_text(" \n\n\t\n")
    with pytest.raises(DocumentEmpty):
        read_document(path, launch=start)


def test_a_name_that_is_no_text_can_be_read(tmp_path: Path, start: Start) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_text("It was opened by its bytes.")
    assert read_document(path, launch=start).text == "It was opened by its bytes."


def test_cancelling_ends_the_process(tmp_path: Path, start: Start) -> None:
    path = write_pdf(tmp_path / "many.pdf", [[f"Page {n}."] for n in range(400)])
    cancelled = threading.Event()
    with pytest.raises(Cancelled):
        read_document(
            path, launch=start, cancelled=cancelled, on_progress=lambda *_: cancelled.set()
        )


def test_time_memory_and_pages_are_limited(tmp_path: Path, start: Start) -> None:
    path = write_pdf(tmp_path / "many.pdf", [[f"Page {n}."] for n in range(40)])
    for limits, word in (
        (Limits(total_s=0.0), "time"),
        (Limits(memory_bytes=1_000_000), "memory"),
        (Limits(units=39), "39 pages"),
        (Limits(file_bytes=10), "MB"),
    ):
        with pytest.raises(DocumentTooLarge) as refused:
            read_document(path, launch=start, limits=limits)
        assert word in str(refused.value.facts["limit"])


def test_the_process_may_not_outgrow_its_address_space(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"A sentence that goes on and on. " * 2_000_000)
    with pytest.raises(DocumentTooLarge):
        read_document(path, launch=start, limits=Limits(address_bytes=200_000_000))


@pytest.mark.corpus
def test_a_password_opens_a_locked_pdf_and_nothing_else_does(corpus: Path, start: Start) -> None:
    path = corpus / "un_password.pdf"
    for password in (None, "wrong"):
        with pytest.raises(DocumentLocked):
            read_document(path, launch=start, password=password)
    assert read_document(path, launch=start, password="password").report.words > 0


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("pj_poppler-90-0-fuzzed.pdf", None),
        ("un_failure-after-repair.pdf", None),
        ("un_invalid-pdf-structure-pdfminer-one-page.pdf", None),
        ("pj_xfa_filled_imm1344e.pdf", DocumentUnreadable),
        ("tk_testWORD_truncated.docx", DocumentUnreadable),
        ("tk_testUnicodePassword.pdf", DocumentLocked),
    ],
)
def test_hostile_files_end_typed_and_quick(
    corpus: Path, start: Start, name: str, error: type[DocumentError] | None
) -> None:
    started_s = time.monotonic()
    if error is None:
        report = read_document(corpus / name, launch=start).report
        assert report.read == report.total
    else:
        with pytest.raises(error):
            read_document(corpus / name, launch=start)
    assert time.monotonic() - started_s < 20
