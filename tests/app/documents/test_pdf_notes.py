"""A note that somebody wrote on a page of a PDF that has no form."""

from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents.reader import read_document
from inference.child import Child
from tests.pdf_maker import write_pdf


def test_a_document_without_a_form_but_with_a_note_is_read(
    tmp_path: Path, start: Callable[[], Child]
) -> None:
    document = pdfium.PdfDocument(write_pdf(tmp_path / "plain.pdf", [["The farm sold wheat."]]))
    page = document[0]
    note = raw.FPDFPage_CreateAnnot(page, raw.FPDF_ANNOT_FREETEXT)
    raw.FPDFAnnot_SetRect(note, raw.FS_RECTF(100, 300, 300, 200))
    text = "Sold in spring\0".encode("utf-16-le")
    wide = (raw.c_ushort * (len(text) // 2)).from_buffer_copy(text)
    raw.FPDFAnnot_SetStringValue(note, b"Contents", wide)
    raw.FPDFPage_CloseAnnot(note)
    path = tmp_path / "noted.pdf"
    document.save(path)
    (read,) = read_document(path, launch=start).pages
    assert "The farm sold wheat." in read.text
