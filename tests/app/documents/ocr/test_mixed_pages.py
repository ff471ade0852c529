"""Pages that are a picture and a text layer at once."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from PIL import Image
from pypdfium2 import raw

from app.children import Verb
from app.documents.document import Line, Page
from app.documents.ocr.frames import RecognizedPage
from app.documents.ocr.merging import merged
from app.documents.ocr.recognizing import recognize
from app.documents.reader import read_document
from inference.child import Child
from tests.page_drawer import draw_page

LETTER = ["Dear neighbors, the farm sold wheat", "and paid 1,250.40 in taxes in spring."]
GARBAGE = "~;.| l1i;: ,._ ,-~'; .:;!| ^^ _.-' ;:,. '-. |;; __ .~ ;' .,: " * 6
INVISIBLE = raw.FPDF_TEXTRENDERMODE_INVISIBLE
SENTENCE = "The council of the valley met on Monday and decided to build the wall again. "


def scan(
    path: Path, text: str, *, mode: int | None = None, image: Image.Image | None = None
) -> Path:
    """Write a page of which a picture fills most, with `text` as its layer."""
    document = pdfium.PdfDocument.new()
    page = document.new_page(595, 842)
    picture = pdfium.PdfImage.new(document)
    bitmap = pdfium.PdfBitmap.from_pil(image or draw_page([LETTER], size=(1100, 1400)))
    picture.set_bitmap(bitmap)
    picture.set_matrix(pdfium.PdfMatrix().scale(560, 713).translate(17, 20))
    page.insert_obj(picture)
    font = raw.FPDFText_LoadStandardFont(document, b"Helvetica")
    for index in range(0, len(text), 90):
        layer = raw.FPDFPageObj_CreateTextObj(document, font, 10.0)
        encoded = (text[index : index + 90] + "\0").encode("utf-16-le")
        wide = (raw.c_ushort * (len(encoded) // 2)).from_buffer_copy(encoded)
        raw.FPDFText_SetText(layer, wide)
        if mode is not None:
            raw.FPDFTextObj_SetTextRenderMode(layer, mode)
        raw.FPDFPageObj_Transform(layer, 1, 0, 0, 1, 40, 815 - index / 90 * 12)
        raw.FPDFPage_InsertObject(page, layer)
    page.gen_content()
    document.save(path)
    return path


@pytest.fixture
def read(launch: Callable[[Verb], Child]) -> Callable[[Path], Page]:
    return lambda path: read_document(path, launch=partial(launch, "document")).pages[0]


def test_a_scan_with_a_stamp_is_recognized(
    tmp_path: Path, read: Callable[[Path], Page], launch: Callable[[Verb], Child]
) -> None:
    path = scan(tmp_path / "stamped.pdf", "Received on 3 May 2024, number 4711")
    page = read(path)
    assert page.state == "without_text"
    assert page.text == "Received on 3 May 2024, number 4711"
    found: list[RecognizedPage] = []
    recognize(path, (1,), launch=partial(launch, "ocr"), on_page=found.append)
    whole = merged(page, found[0])
    assert whole.state == "text"
    assert whole.ocr_confidence > 0.9
    assert "4711" in whole.text, "the stamp is in the picture of the page as well"
    assert "sold wheat" in whole.text


def test_a_layer_that_another_program_recognized_well_is_used(
    tmp_path: Path, read: Callable[[Path], Page]
) -> None:
    page = read(scan(tmp_path / "layer.pdf", SENTENCE * 4, mode=INVISIBLE))
    assert page.state == "text"
    assert "decided to build the wall" in page.text.replace("\n", " ")


def test_a_layer_of_garbage_over_a_scan_is_not(
    tmp_path: Path, read: Callable[[Path], Page]
) -> None:
    assert read(scan(tmp_path / "garbage.pdf", GARBAGE, mode=INVISIBLE)).state == "without_text"


def test_a_page_with_a_small_picture_is_read_as_it_is(
    tmp_path: Path, read: Callable[[Path], Page]
) -> None:
    document = pdfium.PdfDocument(scan(tmp_path / "full.pdf", "Two words and a logo."))
    page = document[0]
    for item in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,)):
        item.set_matrix(pdfium.PdfMatrix().scale(90, 60).translate(40, 700))
    page.gen_content()
    path = tmp_path / "logo.pdf"
    document.save(path)
    assert read(path).state == "text"


def test_a_layer_that_says_nearly_as_much_is_kept() -> None:
    page = Page(1, (Line("A title over a photo"),), "without_text")
    noise = RecognizedPage(1, (Line("A tltle over a photo xq"),), 0.7)
    assert merged(page, noise).lines == page.lines
    assert merged(page, noise).state == "text"
    assert merged(page, RecognizedPage(1, (), 0.0, "time")) is page
