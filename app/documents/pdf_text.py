"""Takes the lines out of a page of a PDF, with their height and boldness.

Heights come from the characters' boxes, because the font size is 1 wherever the real size sits in
the text matrix. Imported in the document process only.
"""

import ctypes
import math
import re
from collections.abc import Iterator, Mapping

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents.document import Line
from app.documents.values import HiddenKind

_BOLD = re.compile(rb"bold|black|heavy|semib|demi|[-_]bd|bx\d|medi$")
_FONT_NAME_BYTES = 128
_MOSTLY = 0.7
# TeX writes ligatures without a map as these control characters; some of them are white space to
# Python, so they have to go before any split.
_LIGATURES = str.maketrans(
    {
        0x0B: "ff", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl",
        0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl",
        0xA0: " ", 0xAD: None, 0xF0B7: "•", 0x00: None,
    }
)  # fmt: skip


def lines(
    layer: pdfium.PdfTextPage,
    text: str,
    hidden: Mapping[int, HiddenKind],
) -> Iterator[Line]:
    """Yield the lines of a page's `text` without the places that are `hidden`."""
    start = 0
    for raw_line in text.split("\n"):
        places = range(start, start + len(raw_line))
        start += len(raw_line) + 1
        if hidden and any(place in hidden for place in places):
            if kept := _kept(layer, text, places, hidden):
                yield kept
            continue
        shown = raw_line.strip(" \t\r\n")
        if shown:
            yield _line(layer, shown, places[0] + raw_line.index(shown[0]))
        else:
            yield Line("")


def _kept(
    layer: pdfium.PdfTextPage, text: str, places: range, hidden: Mapping[int, HiddenKind]
) -> Line | None:
    """Return what is left of a line, or None."""
    left = [place for place in places if place not in hidden]
    shown = "".join(text[place] for place in left).strip(" \t\r\n")
    if not shown:
        return None
    first = next(place for place in left if text[place] == shown[0])
    return Line(shown.translate(_LIGATURES), _height(layer, first))


def _line(layer: pdfium.PdfTextPage, text: str, start: int) -> Line:
    """Return the line `text`, which begins at place `start` of the page's text."""
    starts_bold = _is_bold(layer, start)
    is_bold = starts_bold and _is_bold(layer, start + len(text) - 1)
    lead = _bold_lead(layer, text, start) if starts_bold and not is_bold else ""
    height = _height(layer, start)
    return Line(text.translate(_LIGATURES), height, is_bold, len(lead.translate(_LIGATURES)))


def _height(layer: pdfium.PdfTextPage, place: int) -> float:
    box = raw.FS_RECTF()
    char = raw.FPDFText_GetCharIndexFromTextIndex(layer, place)
    if not raw.FPDFText_GetLooseCharBox(layer, char, box):
        return 0.0
    # Text may run up or down a page, as on one that is turned to be seen.
    runs_across = abs(math.sin(raw.FPDFText_GetCharAngle(layer, char))) < _MOSTLY
    size = box.top - box.bottom if runs_across else box.right - box.left
    return float(round(abs(size) * 2) / 2)


def _bold_lead(layer: pdfium.PdfTextPage, text: str, start: int) -> str:
    """Return the words at the start of `text` that are bold."""
    end = 0
    for word in re.finditer(r"\S+", text):
        if not _is_bold(layer, start + word.end() - 1):
            break
        end = word.end()
    return text[:end]


def _is_bold(layer: pdfium.PdfTextPage, place: int) -> bool:
    char = raw.FPDFText_GetCharIndexFromTextIndex(layer, place)
    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    flags = ctypes.c_int()
    known = raw.FPDFText_GetFontInfo(layer, char, name, _FONT_NAME_BYTES, flags)
    return bool(known) and _BOLD.search(name.value.lower()) is not None
