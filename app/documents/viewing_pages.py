"""Documents that can be looked at: PDF by pdfium, images by Pillow.

Imported in the viewing process only.
"""

import codecs
import ctypes
from collections.abc import Iterator
from typing import BinaryIO, Protocol

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents.formats import image
from app.documents.formats.format import Bitmap, Context, Damaged, PasswordNeeded, Source
from app.documents.formats.pdf_render import render_page
from app.documents.viewing_frames import Box
from app.documents.viewing_marks import Folded, fold

_PASSWORD_ERROR = 4
_PDF_MARK = b"%PDF-"
_HEAD_BYTES = 1024
# Places on a page as pdfium counts pixels, in whole numbers.
_FINE = 1_000_000

# pdfium's texts come in it; a codec is a file, which cannot be read any more behind the walls.
codecs.lookup("utf-16-le")


class Viewed(Protocol):
    """A document that can be drawn; pages count from 1.

    Every method raises Damaged for a page that cannot be loaded.
    """

    def sizes(self) -> tuple[tuple[float, float], ...]:
        """Return width and height of each page in points, as it is seen."""
        ...

    def draw(self, number: int, dpi: float) -> Bitmap:
        """Return a picture of a page."""
        ...

    def boxes(self, number: int, marks: tuple[str, ...]) -> tuple[Box, ...]:
        """Return where `marks` stand on a page, as shares of it."""
        ...

    def find(self, text: str) -> tuple[int, ...]:
        """Return the pages on which `text` stands."""
        ...


def open_viewed(stream: BinaryIO, password: str | None) -> Viewed:
    """Open a PDF or an image.

    Raises:
        FormatError: It is neither, damaged, locked or too large.
    """
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    if _PDF_MARK in head:
        return _ViewedPdf(stream, password)
    return _ViewedImage(stream)


class _ViewedImage:
    def __init__(self, stream: BinaryIO) -> None:
        self._file = image.open(Source("", stream, 0), Context())

    def sizes(self) -> tuple[tuple[float, float], ...]:
        return tuple(self._file.size_pt(number) for number in range(1, len(self._file) + 1))

    def draw(self, number: int, dpi: float) -> Bitmap:
        return self._file.render(number, dpi)

    def boxes(self, number: int, marks: tuple[str, ...]) -> tuple[Box, ...]:  # noqa: ARG002 - it has no text
        return ()

    def find(self, text: str) -> tuple[int, ...]:  # noqa: ARG002
        return ()


class _ViewedPdf:
    def __init__(self, stream: BinaryIO, password: str | None) -> None:
        try:
            self._document = pdfium.PdfDocument(stream, password=password)
            self._count = len(self._document)
        except pdfium.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise PasswordNeeded from error
            raise Damaged from error
        if self._document.get_formtype() == raw.FORMTYPE_ACRO_FORM:
            self._document.init_forms()
        self._flat: set[int] = set()
        self._folded: dict[int, Folded] = {}

    def sizes(self) -> tuple[tuple[float, float], ...]:
        return tuple(self._document.get_page_size(index) for index in range(self._count))

    def draw(self, number: int, dpi: float) -> Bitmap:
        try:
            self._load(number).close()
            return render_page(self._document, number - 1, dpi)
        except pdfium.PdfiumError as error:
            raise Damaged from error

    def boxes(self, number: int, marks: tuple[str, ...]) -> tuple[Box, ...]:
        try:
            page = self._load(number)
        except pdfium.PdfiumError as error:
            raise Damaged from error
        layer = page.get_textpage()
        try:
            folded = fold(layer.get_text_range(errors="replace"))
            spans = [span for mark in marks for span in folded.spans(mark)]
            return tuple(box for span in spans for box in _boxes(page, layer, *span))
        finally:
            layer.close()
            page.close()

    def find(self, text: str) -> tuple[int, ...]:
        wanted = fold(text).text
        if not wanted:
            return ()
        numbers = range(1, self._count + 1)
        return tuple(number for number in numbers if wanted in self._text(number).text)

    def _load(self, number: int) -> pdfium.PdfPage:
        """Return a page on which notes and the values of fields are text, as the reader has it."""
        page = self._document[number - 1]
        if number in self._flat:
            return page
        self._flat.add(number)
        # The binding's own method refuses a document without a form.
        if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
            return page
        page.close()
        return self._document[number - 1]

    def _text(self, number: int) -> Folded:
        """Return the folded text of a page; whoever searches once searches again."""
        known = self._folded.get(number)
        if known is None:
            try:
                page = self._load(number)
            except pdfium.PdfiumError:  # a page that cannot be loaded has nothing to find
                return Folded("", ())
            layer = page.get_textpage()
            # The places are not needed to find a page, and would take most of the memory.
            known = Folded(fold(layer.get_text_range(errors="replace")).text, ())
            layer.close()
            page.close()
            self._folded[number] = known
        return known


def _boxes(page: pdfium.PdfPage, layer: pdfium.PdfTextPage, first: int, last: int) -> Iterator[Box]:
    """Yield a box for each line of the text between two places of a page's text."""
    start = raw.FPDFText_GetCharIndexFromTextIndex(layer, first)
    end = raw.FPDFText_GetCharIndexFromTextIndex(layer, last)
    if start < 0 or end < start:
        return
    for index in range(layer.count_rects(start, end - start + 1)):
        left, bottom, right, top = layer.get_rect(index)
        x1, y1 = _share(page, left, top)
        x2, y2 = _share(page, right, bottom)
        yield min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _share(page: pdfium.PdfPage, x_pt: float, y_pt: float) -> tuple[float, float]:
    """Return where a point of the page is seen, which may be rotated or cropped."""
    x, y = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _FINE, _FINE, 0, x_pt, y_pt, x, y)
    return x.value / _FINE, y.value / _FINE
