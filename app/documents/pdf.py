"""Reads a PDF with pdfium: pages, bookmarks, form values, and what lies beside the text.

Imported in the document process only.
"""

import ctypes
import re
from collections.abc import Iterator

import pypdfium2 as pdfium
from pypdfium2 import raw

from app.documents import pdf_hidden, pdf_text
from app.documents.document import Bookmark, Kind, Page, PageState
from app.documents.formats.format import (
    Bitmap,
    Context,
    Damaged,
    DocumentFile,
    Findings,
    PasswordNeeded,
    Source,
    Unsupported,
)
from app.documents.formats.pdf_pictures import is_in_picture
from app.documents.formats.pdf_render import render_page
from app.documents.pdf_attachments import PdfWithFiles, attached
from app.documents.values import LeftOut, Unit

_PASSWORD_ERROR = 4
_LONGEST_PLACEHOLDER_CHARS = 1500
_FEW_CHARS = 20
_SHORTEST_LAYER_CHARS = 300
_MOST_SYMBOLS = 0.25
_SYMBOLS = re.compile("[\u2190-\u23ff\u2460-\u2bff\ue000-\uf8ff\ufffd]")
_MOST_ATTACHMENTS = 500
_MOST_ANNOTATIONS = 2000
_LONGEST_NOTE_BYTES = 20_000
# What people write on a page after it was made; links, fields and pop-ups are none of it.
_NOTES = frozenset((
    raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE,
    raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_INK,
    raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE,
    raw.FPDF_ANNOT_POLYGON, raw.FPDF_ANNOT_POLYLINE,
))  # fmt: skip
_METADATA = ("Subject", "Keywords")
_SCRIPT = re.compile(rb"/S\s*/JavaScript|/JavaScript\s*\d+ \d+ R")
_BLOCK_BYTES = 1 << 20


class PdfFile:
    """An open PDF."""

    kind: Kind = "pdf"
    unit: Unit = "page"

    def __init__(self, source: Source, context: Context) -> None:
        self.findings = Findings()
        has_script = _has_script(source)
        try:
            self.document = pdfium.PdfDocument(source.stream, password=context.password)
            self._page_count = len(self.document)
        except pdfium.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise PasswordNeeded from error
            raise Damaged from error
        form = self.document.get_formtype()
        self._has_form = form != raw.FORMTYPE_NONE
        if form in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND):
            self._has_form = False  # pdfium without XFA can show such a form but not fill it
            if self.is_placeholder():
                raise Unsupported("a dynamic form that only Adobe's programs show")
        # Notes written on the page are drawn only when they are made part of it, like fields.
        self.document.init_forms()
        if has_script or raw.FPDFDoc_GetJavaScriptActionCount(self.document) > 0:
            self.findings.left_out.append(LeftOut("scripts_left_out"))
        for key in _METADATA:
            self.findings.hide("metadata", 0, str(self.document.get_metadata_value(key)))

    def __len__(self) -> int:
        return self._page_count

    @property
    def title(self) -> str:
        """What the file says its title is, or empty."""
        return str(self.document.get_metadata_value("Title")).strip()

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The outline's entries that lead to a page of this document."""
        found = []
        for mark in self.document.get_toc(max_depth=8):
            target = mark.get_dest()
            index = target.get_index() if target else None
            title = mark.get_title().strip()
            if index is not None and 0 <= index < self._page_count and title:
                found.append(Bookmark(mark.level, title, index + 1))
        return tuple(found)

    def pages(self) -> Iterator[Page]:
        """Yield the pages in order; a page that pdfium cannot load counts as unreadable."""
        for index in range(self._page_count):
            try:
                yield self._page(index)
            except pdfium.PdfiumError:
                yield Page(index + 1, (), "unreadable")

    def render(self, number: int, dpi: float) -> Bitmap | None:
        """Return a picture of page `number`, or None where pdfium cannot load it."""
        try:
            return render_page(self.document, number - 1, dpi)
        except pdfium.PdfiumError:
            return None

    def is_placeholder(self) -> bool:
        """Tell whether all there is to see is a note of Adobe's to use another program."""
        if self._page_count != 1:
            return False
        layer = self.document[0].get_textpage()
        text = layer.get_text_range(errors="replace")
        layer.close()
        return "Adobe" in text and len(text) < _LONGEST_PLACEHOLDER_CHARS

    def _page(self, index: int) -> Page:
        page = self.document[index]
        is_written_on = self._take_notes(page, index + 1)
        # The binding's own method refuses a document without a form.
        if (self._has_form or is_written_on) and _flatten(page):
            # Values of fields become text of the page only when it is loaded again.
            page.close()
            page = self.document[index]
        layer = page.get_textpage()
        all_text = layer.get_text_range(errors="replace")
        hidden = pdf_hidden.concealed(page, layer, all_text)
        for kind, piece in pdf_hidden.pieces(all_text, hidden):
            self.findings.hide(kind, index + 1, piece)
        lines = tuple(pdf_text.lines(layer, all_text, hidden))
        text = "".join(line.text for line in lines)
        state = _state(text, has_image=len(text) < _FEW_CHARS and _has_image(page))
        has_lines = state == "text"
        if has_lines and is_in_picture(page, text):
            state = "without_text"
        if state == "without_text" and not raw.FPDFPage_CountObjects(page):
            state = "blank"
        layer.close()
        page.close()
        return Page(index + 1, lines if has_lines else (), state)

    def _take_notes(self, page: pdfium.PdfPage, number: int) -> bool:
        """Note what was written beside the text; tell whether there is text written on the page."""
        is_written_on = False
        for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
            note = raw.FPDFPage_GetAnnot(page, index)
            if not note:
                continue
            kind = raw.FPDFAnnot_GetSubtype(note)
            is_written_on = is_written_on or kind == raw.FPDF_ANNOT_FREETEXT
            if kind in _NOTES:
                self.findings.hide("annotation", number, _contents(note))
            raw.FPDFPage_CloseAnnot(note)
        return is_written_on


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - as all formats
    """Open a PDF with the documents attached to it.

    Raises:
        FormatError: One of its subclasses.
    """
    file = PdfFile(source, context)
    parts = list(attached(file.document, context, file.findings))
    return PdfWithFiles(file, parts, is_cover=file.is_placeholder()) if parts else file


def _contents(note: object) -> str:
    buffer = ctypes.create_string_buffer(_LONGEST_NOTE_BYTES)
    text = ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR))
    size = raw.FPDFAnnot_GetStringValue(note, b"Contents", text, _LONGEST_NOTE_BYTES)
    return (
        buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")
        if size <= _LONGEST_NOTE_BYTES
        else ""
    )


def _has_script(source: Source) -> bool:
    """Tell whether the file shows a script; pdfium knows only those that a name leads to."""
    tail = b""
    found = False
    while not found and (block := source.stream.read(_BLOCK_BYTES)):
        found = _SCRIPT.search(tail + block) is not None
        tail = block[-64:]
    source.stream.seek(0)
    return found


def _state(text: str, *, has_image: bool) -> PageState:
    letters = sum(char.isalnum() for char in text)
    if not letters or has_image:
        return "without_text"
    dense = "".join(text.split())
    is_long = len(dense) > _SHORTEST_LAYER_CHARS
    if is_long and len(_SYMBOLS.findall(dense)) > _MOST_SYMBOLS * len(dense):
        return "unreadable"
    return "text"


def _flatten(page: pdfium.PdfPage) -> bool:
    done: int = raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
    return bool(done == raw.FLATTEN_SUCCESS)


def _has_image(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3))
