"""Each format in the real process: what its reader needs is loaded before the walls close."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.documents.reader import read_document
from inference.child import Child
from tests.office_maker import docx, flat_odf, odf, package, paragraph, pptx, shape
from tests.page_drawer import png_of

SAID = "The rent is due in May."
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIL = f"From: a@b.c\nTo: d@e.f\nSubject: Rent\nMIME-Version: 1.0\n\n{SAID}\n"


def _xlsx() -> bytes:
    cell = f'<c r="A1" t="inlineStr"><is><t>{SAID}</t></is></c>'
    book = f'<sheet name="One" sheetId="1" xmlns:r="{_LINKS}" r:id="rId1"/>'
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return package(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/x"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r"'
            f' Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}"><sheets>{book}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
            f'<Relationship Id="rId1" Type="{_LINKS}/worksheet" Target="worksheets/1.xml"/>'
            "</Relationships>",
            "xl/worksheets/1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData><row r="1">{cell}</row>'
            "</sheetData></worksheet>",
        }
    )


def _epub() -> bytes:
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    return package(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles>'
            '<rootfile full-path="b.opf"/></rootfiles></container>',
            "b.opf": '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.'
            'xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/>'
            "</spine></package>",
            "a.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{SAID}</p></body>'
            "</html>",
        }
    )


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("docx", docx(paragraph(SAID))),
        ("odt", odf(f"<text:p>{SAID}</text:p>")),
        ("odt", flat_odf(f"<text:p>{SAID}</text:p>")),
        ("pptx", pptx(shape(SAID))),
        ("xlsx", _xlsx()),
        ("epub", _epub()),
        ("rtf", rb"{\rtf1\ansi " + SAID.encode() + b"}"),
        ("rtf", rb"{\rtf1\ansi\ansicpg932 " + SAID.encode() + rb" \'83\'65}"),
        ("html", f"<html><body><p>{SAID}</p></body></html>".encode()),
        (
            "html",
            f'<html><head><meta charset="windows-1253"></head><p>{SAID} Ω'.encode("cp1253"),
        ),
        ("csv", f"what,when\n{SAID},1\nelse,2\nmore,3\n".encode()),
        ("csv", f"was;größe\n{SAID};1\nelse;2\nmore;3\n".encode("utf-16")),
        ("mail", _MAIL.encode()),
        (
            "mail",
            _MAIL.replace("\n\n", "\nContent-Type: text/plain; charset=iso-2022-jp\n\n").encode(),
        ),
        ("archive", package({"a.docx": docx(paragraph(SAID)), "b.eml": _MAIL, "c.xlsx": _xlsx()})),
    ],
)
def test_a_format_is_read_behind_the_walls(
    tmp_path: Path, start: Callable[[], Child], kind: str, content: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    document = read_document(path, launch=start)
    assert document.kind == kind
    assert SAID in document.text
    assert not document.report.left_out


def test_a_picture_is_a_page_without_text(tmp_path: Path, start: Callable[[], Child]) -> None:
    path = tmp_path / "file"
    path.write_bytes(png_of(300, 200))
    document = read_document(path, launch=start)
    assert (document.kind, document.report.without_text) == ("image", 1)
