"""Files made to hurt: each ends in a clear error, or in text, within the limits."""

import io
import os
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.documents.reader import read_document
from app.documents.sandbox import Limits
from app.errors import (
    DocumentEmpty,
    DocumentError,
    DocumentTooLarge,
    DocumentUnreadable,
    NotAFile,
)
from inference.child import Child
from tests.pdf_maker import write_pdf
from tests.raw_pdf import text, write_raw_pdf

Start = Callable[[], Child]
LIMITS = Limits(memory_bytes=700_000_000, step_s=60, total_s=120)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LAUGHS = "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' if n else '<!ENTITY l0 "ha">' for n in range(12)
)


def _zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def _docx(path: Path, document: bytes) -> Path:
    return _zip(path, {"[Content_Types].xml": b"<Types/>", "word/document.xml": document})


def _zeros_zip(size_bytes: int) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.txt", "w", force_zip64=True) as member,
    ):
        block = b" " * 1_000_000
        for _ in range(size_bytes // len(block)):
            member.write(block)
    return out.getvalue()


def _bomb(path: Path) -> Path:
    """200 MB of blanks, ten times, in four layers: 2 TB."""
    inner = _zeros_zip(200_000_000)
    for _ in range(4):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(10):
                archive.writestr(f"{number}.zip", inner)
        inner = out.getvalue()
    path.write_bytes(inner)
    return path


def _laughing_docx(path: Path) -> Path:
    body = f'<w:body xmlns:w="{_WORD}"><w:p><w:r><w:t>Seen &l11;</w:t></w:r></w:p></w:body>'
    xml = f"<!DOCTYPE x [{_LAUGHS}]><w:document xmlns:w='{_WORD}'>{body}</w:document>"
    return _docx(path, xml.encode())


def _large_docx(path: Path) -> Path:
    paragraph = b"<w:p><w:r><w:t>" + b"a" * 2000 + b"</w:t></w:r></w:p>"
    start = f"<w:document xmlns:w='{_WORD}'><w:body>".encode()
    return _docx(path, start + paragraph * 300_000 + b"</w:body></w:document>")


def _deep_html(path: Path) -> Path:
    path.write_text(f"<html><body>{'<div>' * 200_000}text")
    return path


def _laughing_html(path: Path) -> Path:
    path.write_text(f"<!DOCTYPE html [{_LAUGHS}]><html><body>Seen &l11;</body></html>")
    return path


def _huge_png(path: Path) -> Path:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(10_000_000)))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b""))
    return path


def _cyclic_pdf(path: Path) -> Path:
    tree = b"<< /Type /Pages /Count 3 /Kids [2 0 R 10 0 R 2 0 R] /Parent 2 0 R >>"
    return write_raw_pdf(path, [text("Seen once.")], objects={2: tree})


def _truncated_pdf(path: Path) -> Path:
    write_pdf(path, [[f"Page {number} of a long report."] for number in range(50)])
    path.write_bytes(path.read_bytes()[:4000])
    return path


def _deep_mail(path: Path) -> Path:
    parts = "".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3000)
    )
    head = "From: a@b.c\nTo: d@e.f\nSubject: deep\nMIME-Version: 1.0\n"
    path.write_text(f"{head}{parts}Content-Type: text/plain\n\ntext\n")
    return path


def _long_row(path: Path) -> Path:
    path.write_text("a,b,c\n" * 3 + "x," * 10_000_000)
    return path


def _lying_zip(path: Path) -> Path:
    _zip(path, {"a.txt": b"a" * 1000, "b.txt": b"It is still read."})
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", 1000), struct.pack("<I", 7)))
    return path


@pytest.mark.parametrize(
    ("make", "expected", "word"),
    [
        (_bomb, DocumentUnreadable, "nothing in it can be read"),
        (_laughing_docx, DocumentUnreadable, "damaged"),
        (_large_docx, DocumentTooLarge, "size when unpacked"),
        (_deep_html, DocumentEmpty, ""),
        (_huge_png, DocumentTooLarge, "size of the image"),
        (_truncated_pdf, DocumentUnreadable, "damaged"),
        (_deep_mail, DocumentTooLarge, "depth"),
    ],
)
def test_a_hostile_file_ends_in_a_clear_error(
    tmp_path: Path,
    start: Start,
    make: Callable[[Path], Path],
    expected: type[DocumentError],
    word: str,
) -> None:
    path = make(tmp_path / "hostile")
    with pytest.raises(expected) as refused:
        read_document(path, launch=start, limits=LIMITS)
    assert word in str(refused.value.facts)


@pytest.mark.parametrize(
    ("make", "begin", "pages"),
    [
        (_laughing_html, "]>Seen &l11;", 1),
        (_cyclic_pdf, "Seen once.", 3),
        (_long_row, "a | b | c", 4),
        (_lying_zip, "It is still read.", 1),
    ],
)
def test_of_a_hostile_file_comes_what_can_be_read(
    tmp_path: Path, start: Start, make: Callable[[Path], Path], begin: str, pages: int
) -> None:
    document = read_document(make(tmp_path / "hostile"), launch=start, limits=LIMITS)
    assert document.text.startswith(begin)
    assert (document.report.total, len(document.pages)) == (pages, pages)
    assert len(document.text) < 1_000_000


def test_what_is_no_file_is_refused_at_once(tmp_path: Path, start: Start) -> None:
    pipe, empty = tmp_path / "pipe.pdf", tmp_path / "empty.pdf"
    os.mkfifo(pipe)
    empty.touch()
    link = tmp_path / "zero.pdf"
    link.symlink_to("/dev/zero")
    lost = tmp_path / "lost.pdf"
    lost.symlink_to(tmp_path / "nowhere")
    for path, error in (
        (pipe, NotAFile),
        (tmp_path, NotAFile),
        (Path("/dev/zero"), NotAFile),
        (link, NotAFile),
        (lost, NotAFile),
        (empty, DocumentEmpty),
    ):
        with pytest.raises(error):
            read_document(path, launch=start)


def test_a_link_to_a_document_is_read_as_what_it_leads_to(tmp_path: Path, start: Start) -> None:
    write_pdf(tmp_path / "a.pdf", [["It was reached by a link."]])
    link = tmp_path / "b.docx"
    link.symlink_to(tmp_path / "a.pdf")
    assert read_document(link, launch=start).text == "It was reached by a link."


@pytest.mark.parametrize("name", ["letter.docx", "letter.png", "letter", "letter.zip"])
def test_a_wrong_name_changes_nothing(tmp_path: Path, start: Start, name: str) -> None:
    path = write_pdf(tmp_path / name, [["Content decides."]])
    document = read_document(path, launch=start)
    assert (document.kind, document.text) == ("pdf", "Content decides.")


def test_a_text_of_300_mb_is_read_to_a_limit_that_it_names(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "huge.txt"
    block = b"A sentence of a text that has no end, it seems to whoever reads it.\n" * 15_000
    with path.open("wb") as out:
        for _ in range(300):
            out.write(block)
    try:
        document = read_document(path, launch=start, limits=LIMITS)
    finally:
        path.unlink()
    assert [(one.code, one.detail) for one in document.report.left_out] == [
        ("rest_left_out", "32 MB")
    ]
    assert document.text.startswith("A sentence of a text")


@pytest.fixture
def growth_bytes() -> Callable[[], int]:
    """Tell by how much the memory of this process has grown."""
    process = psutil.Process()
    before = process.memory_info().rss
    return lambda: int(process.memory_info().rss) - before


def test_ten_thousand_pages_come_one_by_one(
    tmp_path: Path, start: Start, growth_bytes: Callable[[], int]
) -> None:
    path = write_pdf(tmp_path / "long.pdf", [[f"Page {n}."] for n in range(10_000)])
    largest = 0
    seen: list[int] = []

    def tell(done: int, total: int) -> None:
        nonlocal largest
        if done % 1000 == 0:
            largest = max(largest, growth_bytes())
            seen.append(total)

    document = read_document(path, launch=start, on_progress=tell, limits=LIMITS)
    assert (document.report.read, document.pages[-1].text) == (10_000, "Page 9999.")
    assert seen == [10_000] * 10
    assert largest < 100_000_000


def test_one_bad_member_never_stops_the_others(tmp_path: Path, start: Start) -> None:
    good = write_pdf(tmp_path / "good.pdf", [["It is still read."]]).read_bytes()
    path = _zip(
        tmp_path / "all.zip",
        {
            "1 bomb.zip": _zeros_zip(400_000_000),
            "2 broken.pdf": b"%PDF-1.4\nnothing more",
            "3 program.txt": b"\x7fELF" + bytes(500),
            "4 laughing.docx": _laughing_docx(tmp_path / "x").read_bytes(),
            "5 deep.eml": _deep_mail(tmp_path / "y").read_bytes(),
            "../../6 good.pdf": good,
        },
    )
    document = read_document(path, launch=start, limits=LIMITS)
    assert "It is still read." in document.text
    assert {"2 broken.pdf", "3 program.txt"} <= {one.name for one in document.report.left_out}
    assert sorted(tmp_path.iterdir()) == sorted(
        tmp_path / name for name in ("all.zip", "good.pdf", "x", "y")
    )


def test_a_hanging_reader_is_ended(tmp_path: Path, start: Start) -> None:
    path = write_pdf(tmp_path / "a.pdf", [["Text."]])
    with pytest.raises(DocumentTooLarge) as refused:
        read_document(path, launch=start, limits=Limits(step_s=0.0), cancelled=threading.Event())
    assert refused.value.facts["limit"] == "time"
