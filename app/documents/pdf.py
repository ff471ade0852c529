"""Reads a PDF with pdfium: lines with their height and boldness, bookmarks, and pages without text.

Heights come from the characters' boxes, because the font size is 1 wherever the real size sits in
the text matrix. Imported in the document process only.
"""

import ctypes
import re
from collections.abc import Iterator

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents.document import Bookmark, Kind, Line, Page, PageState
from app.documents.formats.format import (
    Bitmap,
    Context,
    Damaged,
    Findings,
    PasswordNeeded,
    Source,
    Unsupported,
)
from app.documents.formats.pdf_pictures import is_in_picture
from app.documents.formats.pdf_render import render_page
from app.documents.values import Unit

_PASSWORD_ERROR = 4
_BOLD = re.compile(rb"bold|black|heavy|semib|demi|[-_]bd|bx\d|medi$")
_FONT_NAME_BYTES = 128
_LONGEST_PLACEHOLDER_CHARS = 1500
_FEW_CHARS = 20
_SHORTEST_LAYER_CHARS = 300
_MOST_SYMBOLS = 0.25
_SYMBOLS = re.compile("[\u2190-\u23ff\u2460-\u2bff\ue000-\uf8ff\ufffd]")
# TeX writes ligatures without a map as these control characters; some of them are white space to
# Python, so they have to go before any split.
_LIGATURES = str.maketrans(
    {
        0x0B: "ff", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl",
        0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl",
        0xA0: " ", 0xAD: None, 0xF0B7: "•", 0x00: None,
    }
)  # fmt: skip


class PdfFile:
    """An open PDF."""

    kind: Kind = "pdf"
    unit: Unit = "page"

    def __init__(self, source: Source, password: str | None) -> None:
        try:
            self._document = pdfium.PdfDocument(source.stream, password=password)
            self._page_count = len(self._document)
        except pdfium.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise PasswordNeeded from error
            raise Damaged from error
        form = self._document.get_formtype()
        self._has_form = form != raw.FORMTYPE_NONE
        if form in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND):
            self._has_form = False  # pdfium without XFA can show such a form but not fill it
            if self._is_placeholder():
                raise Unsupported("a dynamic form that only Adobe's programs show")
        if self._has_form:
            self._document.init_forms()

        self.findings = Findings()

    def __len__(self) -> int:
        return self._page_count

    @property
    def title(self) -> str:
        """What the file says its title is, or empty."""
        return str(self._document.get_metadata_value("Title")).strip()

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The outline's entries that lead to a page of this document."""
        found = []
        for mark in self._document.get_toc(max_depth=8):
            target = mark.get_dest()
            index = target.get_index() if target else None
            title = mark.get_title().strip()
            if index is not None and 0 <= index < len(self) and title:
                found.append(Bookmark(mark.level, title, index + 1))
        return tuple(found)

    def pages(self) -> Iterator[Page]:
        """Yield the pages in order; a page that pdfium cannot load counts as unreadable."""
        for index in range(len(self)):
            try:
                yield self._page(index)
            except pdfium.PdfiumError:
                yield Page(index + 1, (), "unreadable")

    def render(self, number: int, dpi: float) -> Bitmap | None:
        """Return a picture of page `number`, or None where pdfium cannot load it."""
        try:
            return render_page(self._document, number - 1, dpi)
        except pdfium.PdfiumError:
            return None

    def _is_placeholder(self) -> bool:
        text = self._page(0).text if len(self) == 1 else ""
        return "Adobe" in text and len(text) < _LONGEST_PLACEHOLDER_CHARS

    def _page(self, index: int) -> Page:
        page = self._document[index]
        if self._has_form and page.flatten() == raw.FLATTEN_SUCCESS:
            # Values of fields become text of the page only when it is loaded again.
            page.close()
            page = self._document[index]
        layer = page.get_textpage()
        lines = tuple(_lines(layer))
        text = "".join(line.text for line in lines)
        state = _state(text, has_image=len(text) < _FEW_CHARS and _has_image(page))
        has_lines = state == "text"
        if has_lines and is_in_picture(page, text):
            state = "without_text"
        layer.close()
        page.close()
        return Page(index + 1, lines if has_lines else (), state)


def open(source: Source, context: Context) -> PdfFile:  # noqa: A001 - as all formats
    """Open a PDF.

    Raises:
        FormatError: One of its subclasses.
    """
    return PdfFile(source, context.password)


def _lines(layer: pdfium.PdfTextPage) -> Iterator[Line]:
    start = 0
    for raw_line in layer.get_text_range(errors="replace").split("\n"):
        text = raw_line.strip(" \t\r\n")
        if text:
            yield _line(layer, text, start + raw_line.index(text[0]))
        else:
            yield Line("")
        start += len(raw_line) + 1


def _line(layer: pdfium.PdfTextPage, text: str, start: int) -> Line:
    """Return the line `text`, which begins at place `start` of the page's text."""
    box = raw.FS_RECTF()
    first = raw.FPDFText_GetCharIndexFromTextIndex(layer, start)
    known = raw.FPDFText_GetLooseCharBox(layer, first, box)
    height = round(abs(box.top - box.bottom) * 2) / 2 if known else 0.0
    starts_bold = _is_bold(layer, start)
    is_bold = starts_bold and _is_bold(layer, start + len(text) - 1)
    lead = _bold_lead(layer, text, start) if starts_bold and not is_bold else ""
    return Line(text.translate(_LIGATURES), height, is_bold, len(lead.translate(_LIGATURES)))


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


def _state(text: str, *, has_image: bool) -> PageState:
    letters = sum(char.isalnum() for char in text)
    if not letters or has_image:
        return "without_text"
    dense = "".join(text.split())
    is_long = len(dense) > _SHORTEST_LAYER_CHARS
    if is_long and len(_SYMBOLS.findall(dense)) > _MOST_SYMBOLS * len(dense):
        return "unreadable"
    return "text"


def _has_image(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3))
