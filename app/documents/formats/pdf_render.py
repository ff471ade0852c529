"""Draws pages of a PDF with pdfium, however odd their size.

Imported in processes behind walls only.
"""

import math

import pypdfium2 as pdfium

from app.documents.formats.format import Bitmap

POINTS_PER_INCH = 72
# A0 at 150 dpi has 35 million; a page asks for any size it likes.
_MOST_PIXELS = 25_000_000
_LONGEST_PX = 15_000


def render_page(document: pdfium.PdfDocument, index: int, dpi: float) -> Bitmap:
    """Return a picture of the page at `index`, 0-based, at `dpi` or as near as its size allows.

    Raises:
        pdfium.PdfiumError: The page cannot be loaded.
    """
    page = document[index]
    try:
        width_pt, height_pt = page.get_size()
        bitmap = page.render(scale=_scale(width_pt, height_pt, dpi), rev_byteorder=True)
        try:
            return Bitmap(bitmap.width, bitmap.height, bytes(bitmap.buffer))
        finally:
            bitmap.close()
    finally:
        page.close()


def _scale(width_pt: float, height_pt: float, dpi: float) -> float:
    """Return pixels a point that keep the picture within bounds."""
    area, longest = max(width_pt * height_pt, 1.0), max(width_pt, height_pt, 1.0)
    return min(dpi / POINTS_PER_INCH, math.sqrt(_MOST_PIXELS / area), _LONGEST_PX / longest)
