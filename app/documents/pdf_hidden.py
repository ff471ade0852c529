"""Finds text of a PDF page that nobody sees: invisible, pale, tiny, or beside the page.

All text objects are looked at; only where one is suspicious are single characters asked for theirs,
because a page has thousands. Text that scanners lay invisibly over a scan is what a person sees in
the scan, so it is not hidden. Imported in the document process only.
"""

import ctypes
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents.values import HiddenKind

_INVISIBLE_MODES = frozenset((3, 7))
_PALEST = 235
_SMALLEST_PT = 2.0
_MOST_DEPTH = 4
# A scan fills its page but for a margin.
_LEAST_SCAN_AREA = 0.5
_MOST_VISIBLE = 0.2
# Pale text stands out on what is darker; 72 dpi shows a letter as a few pixels.
_LEAST_CONTRAST = 24
_LARGEST_SIDE_PX = 2000.0


Box = tuple[float, float, float, float]


class _Objects:
    """The objects of a page, as far as they matter here."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self.suspects: dict[bytes, HiddenKind] = {}
        self.image_area = 0.0
        self._page_box: Box = page.get_bbox()
        self._edges = [ctypes.c_float() for _ in range(4)]
        self._color = [ctypes.c_uint() for _ in range(4)]
        self._size = ctypes.c_float()
        self._matrix = raw.FS_MATRIX()
        for index in range(raw.FPDFPage_CountObjects(page)):
            self._look(raw.FPDFPage_GetObject(page, index), 0)

    @property
    def page_area(self) -> float:
        left, bottom, right, top = self._page_box
        return max(1.0, (right - left) * (top - bottom))

    def _look(self, item: object, depth: int) -> None:
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            self._look_at_text(item, depth)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = self._bounds(item)
            self.image_area += abs((right - left) * (top - bottom))
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _MOST_DEPTH:
            for index in range(raw.FPDFFormObj_CountObjects(item)):
                self._look(raw.FPDFFormObj_GetObject(item, index), depth + 1)

    def _look_at_text(self, item: object, depth: int) -> None:
        kind: HiddenKind | None = None
        if raw.FPDFTextObj_GetTextRenderMode(item) in _INVISIBLE_MODES:
            kind = "invisible_text"
        # Inside a form the edges are not those of the page.
        elif depth == 0 and self._is_outside(self._bounds(item)):
            kind = "off_page"
        elif self._is_pale(item):
            kind = "pale_text"
        elif raw.FPDFTextObj_GetFontSize(item, self._size) and self._is_tiny(item):
            kind = "tiny_text"
        if kind:
            self.suspects[_key(item)] = kind

    def _is_pale(self, item: object) -> bool:
        red, green, blue, alpha = self._color
        if not raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
            return False
        return bool(alpha.value == 0 or min(red.value, green.value, blue.value) >= _PALEST)

    def _is_tiny(self, item: object) -> bool:
        if not raw.FPDFPageObj_GetMatrix(item, self._matrix):
            return False
        matrix = self._matrix
        scale = math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c))
        return bool(0 < self._size.value * scale < _SMALLEST_PT)

    def _is_outside(self, box: Box) -> bool:
        left, bottom, right, top = box
        page_left, page_bottom, page_right, page_top = self._page_box
        is_beside = right <= page_left or left >= page_right
        return is_beside or top <= page_bottom or bottom >= page_top

    def _bounds(self, item: object) -> Box:
        left, bottom, right, top = self._edges
        if not raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            return self._page_box  # unknown: nowhere beside the page
        return left.value, bottom.value, right.value, top.value


def concealed(page: pdfium.PdfPage, layer: pdfium.PdfTextPage, text: str) -> dict[int, HiddenKind]:
    """Return why characters of the page's `text` are hidden, by their place in it."""
    objects = _Objects(page)
    if not objects.suspects:
        return {}
    found = _places(layer, text, objects.suspects)
    if _is_scan(objects, text, found):
        found = {place: kind for place, kind in found.items() if kind != "invisible_text"}
    if "pale_text" in found.values():
        found = _without_contrast(page, layer, text, found)
    return found


def pieces(text: str, hidden: Mapping[int, HiddenKind]) -> Iterator[tuple[HiddenKind, str]]:
    """Yield what is hidden in `text`, all of a kind together."""
    for kind in dict.fromkeys(hidden.values()):
        yield kind, "".join(text[place] for place in sorted(hidden) if hidden[place] == kind)


def _places(
    layer: pdfium.PdfTextPage, text: str, suspects: Mapping[bytes, HiddenKind]
) -> dict[int, HiddenKind]:
    found: dict[int, HiddenKind] = {}
    kind: HiddenKind | None = None
    # Thousands of times a page: each look-up of a name and of the handle counts.
    page = layer.raw
    index_of, object_of = raw.FPDFText_GetCharIndexFromTextIndex, raw.FPDFText_GetTextObject
    for place in range(len(text)):
        char = index_of(page, place)
        item = object_of(page, char) if char >= 0 else None
        # White space that pdfium adds belongs to no object; it goes with what stands before it.
        if item:
            kind = suspects.get(bytes(item))
            # An object does not know what a form round it does to its size.
            if kind == "tiny_text" and _height(layer, char) >= _SMALLEST_PT:
                kind = None
        if kind:
            found[place] = kind
    return found


def _is_scan(objects: _Objects, text: str, found: Mapping[int, HiddenKind]) -> bool:
    if objects.image_area < _LEAST_SCAN_AREA * objects.page_area:
        return False
    letters = sum(not char.isspace() for char in text)
    invisible = sum(
        kind == "invisible_text" and not text[place].isspace() for place, kind in found.items()
    )
    return letters - invisible <= _MOST_VISIBLE * letters


def _without_contrast(
    page: pdfium.PdfPage,
    layer: pdfium.PdfTextPage,
    text: str,
    found: Mapping[int, HiddenKind],
) -> dict[int, HiddenKind]:
    """Return `found` without pale characters that stand out from what is behind them."""
    width_pt, height_pt = page.get_size()
    scale = min(1.0, _LARGEST_SIDE_PX / max(width_pt, height_pt, 1.0))
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        picture = _Picture(page, bitmap)
        kept: dict[int, HiddenKind] = {}
        stands_out = False
        for place, kind in found.items():
            if kind == "pale_text":
                if not text[place].isspace():
                    stands_out = picture.contrast(_char_box(layer, place)) >= _LEAST_CONTRAST
                if stands_out:
                    continue
            kept[place] = kind
        return kept
    finally:
        bitmap.close()


class _Picture:
    """A page drawn in grays, asked by places on the page."""

    def __init__(self, page: pdfium.PdfPage, bitmap: pdfium.PdfBitmap) -> None:
        self._page = page
        self._width, self._height = bitmap.width, bitmap.height
        self._stride = bitmap.stride
        self._step = bitmap.n_channels
        self._gray = bytes(bitmap.buffer)

    def contrast(self, box: Box) -> int:
        """Return the difference of the lightest and the darkest pixel in `box`, 0 to 255."""
        left, bottom, right, top = box
        corners = [self._pixel(left, bottom), self._pixel(right, top)]
        x0, x1 = sorted(corner[0] for corner in corners)
        y0, y1 = sorted(corner[1] for corner in corners)
        x0, x1 = max(0, x0 - 1), min(self._width, x1 + 2)
        y0, y1 = max(0, y0 - 1), min(self._height, y1 + 2)
        rows = [
            self._gray[y * self._stride + x0 * self._step : y * self._stride + x1 * self._step]
            for y in range(y0, y1)
        ]
        seen = b"".join(rows)
        return max(seen) - min(seen) if seen else 0

    def _pixel(self, x_pt: float, y_pt: float) -> tuple[int, int]:
        x, y = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page, 0, 0, self._width, self._height, 0, x_pt, y_pt, x, y)
        return x.value, y.value


def _height(layer: pdfium.PdfTextPage, char: int) -> float:
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(layer, char, box)
    return float(max(abs(box.top - box.bottom), abs(box.right - box.left)))


def _char_box(layer: pdfium.PdfTextPage, place: int) -> Box:
    char = raw.FPDFText_GetCharIndexFromTextIndex(layer, place)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(layer, char, left, right, bottom, top)
    return left.value, bottom.value, right.value, top.value


def _key(item: Any) -> bytes:
    """Return the address that a pointer holds; a cast would take eight times as long."""
    return bytes(item)
