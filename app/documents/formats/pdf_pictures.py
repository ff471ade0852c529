"""Tells whether what a page of a PDF says is in a picture rather than in its text layer.

A scan may carry a stamp or a page number as text, or a layer that another program recognized badly.
A good layer of that kind is used as it is. Imported in processes behind walls only.
"""

import re

import pypdfium2 as pdfium
from pypdfium2 import raw

_DEPTH = 3
_MOST_OF_THE_PAGE = 0.5
# A stamp, a number, a header.
_STAMP_CHARS = 150
_WORD = re.compile(r"[(\"'“„«¿¡]?([^\W\d_]{2,}([-'’][^\W\d_]+)*|\d[\d.,:/%-]*)[.,;:!?)\"'”»%]*")
_SHORT_WORDS = frozenset("aàeiouyé&+-–—|")
_LEAST_WORDS = 0.5


def is_in_picture(page: pdfium.PdfPage, text: str) -> bool:
    """Tell whether pictures cover most of `page` while `text`, its layer, is little or garbage."""
    chars = sum(not char.isspace() for char in text)
    if chars >= _STAMP_CHARS and _is_language(text):
        return False
    return _covered(page) >= _MOST_OF_THE_PAGE


def _is_language(text: str) -> bool:
    tokens = [token for token in text.split() if token.lower() not in _SHORT_WORDS]
    words = sum(_WORD.fullmatch(token) is not None for token in tokens)
    return words >= _LEAST_WORDS * len(tokens)


def _covered(page: pdfium.PdfPage) -> float:
    """Return the share of a page that its pictures cover; strips of one picture add up."""
    width, height = page.get_width(), page.get_height()
    if not width * height:
        return 0.0
    area = 0.0
    for picture in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=_DEPTH):
        left, bottom, right, top = picture.get_bounds()
        across = min(right, width) - max(left, 0.0)
        down = min(top, height) - max(bottom, 0.0)
        area += max(across, 0.0) * max(down, 0.0)
    return float(area / (width * height))
