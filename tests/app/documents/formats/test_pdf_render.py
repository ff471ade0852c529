from pathlib import Path

import pypdfium2 as pdfium
import pytest

from app.documents.formats.pdf_render import render_page
from tests.pdf_maker import Text, write_pdf


def test_a_page_is_drawn_at_the_resolution_that_is_asked_for(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "page.pdf", [[Text("Some words", 40)]])
    bitmap = render_page(pdfium.PdfDocument(path), 0, 36)
    assert (bitmap.width, bitmap.height) == (306, 396)
    assert len(bitmap.rgb) == 306 * 396 * 3
    assert bitmap.rgb[:3] == b"\xff\xff\xff"
    assert min(bitmap.rgb) < 60


@pytest.mark.parametrize(("width_pt", "height_pt"), [(14_400, 14_400), (20, 14_400), (0.5, 0.5)])
def test_a_page_of_an_odd_size_stays_within_bounds(width_pt: float, height_pt: float) -> None:
    document = pdfium.PdfDocument.new()
    document.new_page(width_pt, height_pt)
    bitmap = render_page(document, 0, 600)
    assert 1 <= bitmap.width * bitmap.height <= 25_100_000
    assert max(bitmap.width, bitmap.height) <= 15_001
