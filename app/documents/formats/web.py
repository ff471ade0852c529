"""Web pages that were saved (HTML)."""

from app.documents import charsets
from app.documents.formats.format import Context, DocumentFile, Findings, Source
from app.documents.formats.sections import Sections
from app.documents.formats.web_text import decode_page, read_page
from app.documents.values import LeftOut

_MOST_BYTES = 32_000_000


def prepare() -> None:
    """Load the encodings that pages may name."""
    charsets.prepare()


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001, ARG001 - as all readers
    """Read the page."""
    findings = Findings()
    if source.size_bytes > _MOST_BYTES:
        limit = f"{_MOST_BYTES // 1_000_000} MB"
        findings.left_out.append(LeftOut("rest_left_out", detail=limit))
    sections = Sections(findings)
    title = read_page(decode_page(source.stream.read(_MOST_BYTES)), sections)
    return sections.finish("html", title)
