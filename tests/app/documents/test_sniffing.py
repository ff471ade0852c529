import io
import zipfile

import pytest

from app.documents.sniffing import sniff


def _zip(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


_PROSE = "Dear Ann, I came home late, and found the door open.\n" * 3


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"junk before it\n%PDF-1.4\n", "pdf"),
        (b"{\\rtf1 hello}", "rtf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "image"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None),
        (b"\x00\x00\x00\x18ftypheic" + bytes(9), "image"),
        (b"\x00\x00\x00\x18ftypisom" + bytes(9), None),
        (b"BM" + bytes(12) + b"\x28\x00\x00\x00" + bytes(9), "image"),
        (b"BMW builds cars in Munich.\n", "text"),
        (_zip(**{"[Content_Types].xml": "", "word/document.xml": ""}), "docx"),
        (_zip(**{"[Content_Types].xml": "", "ppt/presentation.xml": ""}), "pptx"),
        (_zip(**{"[Content_Types].xml": "", "xl/workbook.xml": ""}), "xlsx"),
        (_zip(**{"word/letter.txt": "", "xl/table.csv": ""}), "archive"),
        (_zip(mimetype="application/vnd.oasis.opendocument.text"), "odt"),
        (_zip(mimetype="application/vnd.oasis.opendocument.spreadsheet"), "ods"),
        (_zip(mimetype="application/vnd.oasis.opendocument.presentation"), "odp"),
        (_zip(mimetype="application/epub+zip"), "epub"),
        (_zip(**{"Index/Document.iwa": ""}), None),
        (b"PK\x03\x04" + bytes(20), None),
        (b"<!DOCTYPE html><html><body>hello</body></html>", "html"),
        ("<html><body>Grüße</body></html>".encode("utf-16"), "html"),
        (b"<p>One paragraph</p>\n<p>and one more.</p>", "html"),
        (b'<p align="center">logo</p>\n\n# Title\n\n- a list\n', "text"),
        (b"<note>An XML file is text.</note>", "text"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: x\nMIME-Version: 1.0\n\nhello", "mail"),
        (b"From: Ann\nTo: Bob\nSubject: lunch\n\nA memo is no message.", "text"),
        (b"name,age\nAnn,30\nBob,41\nEve,25\n", "csv"),
        ("name;größe\nAnn;30\nBob;41\nEve;25\n".encode("utf-16"), "csv"),
        ("名前,年齢,住所\n佐藤太郎,30,東京\n".encode("cp932"), "csv"),
        (_PROSE.encode(), "text"),
        (b"apples, pears\n", "text"),
        (bytes(range(256)) * 4, None),
    ],
)
def test_content_decides_what_a_file_is(content: bytes, kind: str | None) -> None:
    stream = io.BytesIO(content)
    assert sniff(stream).kind == kind
    assert stream.tell() == 0


def test_what_is_not_read_says_what_to_do() -> None:
    assert "save it as PDF" in sniff(io.BytesIO(_zip(**{"Index/Document.iwa": ""}))).what
