"""Word and PowerPoint files of 97-2003 (DOC, PPT).

Those of 97 and later are read here. What is older, or written in ways unknown here, is read by
xberg where that is installed; it gives text without looks, so that hidden text cannot be told from
other text there. It only has functions to await; the loop that runs them has no sockets, which are
forbidden where this runs.
"""

import asyncio
import re
import threading
from typing import Any

import olefile

from app.documents.document import Kind
from app.documents.formats.encrypted import decrypt
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    Unsupported,
)
from app.documents.formats.legacy_slides import read_slides
from app.documents.formats.legacy_word import is_word_97, read_word, table_name
from app.documents.formats.rtf_tokens import code_page
from app.documents.formats.rtf_tokens import prepare as prepare_code_pages
from app.documents.formats.sections import Sections

try:
    import xberg
except ImportError:  # an extra, and there are systems it does not run on
    xberg = None  # type: ignore[assignment]

_MIME_TYPES: dict[Kind, str] = {
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
}
_STREAMS: dict[Kind, str] = {"doc": "WordDocument", "ppt": "PowerPoint Document"}
_SAVE_AS: dict[Kind, str] = {
    "doc": "a Word file of before 1997; save it as DOCX in Word or LibreOffice and use that",
    "ppt": "a PowerPoint file of before 1997; save it as PPTX in PowerPoint and use that",
}
# Of usual text, in points.
_WORD_HEIGHT = 12.0
_ROW_END = "\t\t"
_TIMEOUT_S = 60
# Marks of a field that stand in the text itself.
_FIELD_CODE = re.compile("\x13[^\x13\x14\x15]*\x14?|\x15")


def prepare() -> None:
    """Load what the library loads at its first file; behind the walls it could not."""
    prepare_code_pages()
    if xberg is not None:
        _run(b"", _MIME_TYPES["doc"])


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the document.

    Raises:
        FormatError: One of its subclasses.
    """
    kind = _kind(source)
    plain = decrypt(source, context)
    context.budget.take_bytes(plain.size_bytes)
    file = _read_word(plain) if kind == "doc" else _read_slides(plain)
    return _read_by_library(plain, kind) if file is None else file


def _kind(source: Source) -> Kind:
    try:
        ole = olefile.OleFileIO(source.stream)
        names = {kind for kind, name in _STREAMS.items() if ole.exists(name)}
    except Exception as error:  # olefile raises anything over a broken file
        raise Damaged from error
    source.stream.seek(0)
    if not names:
        raise Unsupported("an Office file of before 1997; save it in a newer format and use that")
    return "doc" if "doc" in names else "ppt"


def _read_word(source: Source) -> DocumentFile | None:
    """Return the document, or None where it is of before Word 97 or only the library may do."""
    try:
        ole = olefile.OleFileIO(source.stream)
        word = ole.openstream(_STREAMS["doc"]).read()
        name = table_name(word) if is_word_97(word) else ""
        table = ole.openstream(name).read() if name and ole.exists(name) else b""
        metadata = ole.get_metadata()
    except Exception as error:  # olefile raises anything over a broken file
        raise Damaged from error
    if not name:
        return None
    sections = Sections(Findings(), _WORD_HEIGHT)
    for text in (metadata.subject, metadata.keywords, metadata.comments):
        sections.findings.hide("metadata", 0, _decoded(text, metadata.codepage))
    try:
        read_word(word, table, sections)
    except Damaged:
        if xberg is None:
            raise
        return None
    return sections.finish("doc", _decoded(metadata.title, metadata.codepage))


def _read_slides(source: Source) -> DocumentFile | None:
    """Return the presentation, or None where only the library may manage it."""
    try:
        ole = olefile.OleFileIO(source.stream)
        data, user = (ole.openstream(name).read() for name in (_STREAMS["ppt"], "Current User"))
        metadata = ole.get_metadata()
    except Exception as error:  # olefile raises anything over a broken file
        raise Damaged from error
    try:
        return read_slides(data, user, _decoded(metadata.title, metadata.codepage))
    except Damaged:
        if xberg is None:
            raise
        return None


def _decoded(text: bytes | None, page: int | None) -> str:
    # Numbers above 32,767 come as negative ones.
    encoding = code_page((page or 0) % 0x10000)
    return (text or b"").rstrip(b"\0").decode(encoding, "replace")


def _read_by_library(source: Source, kind: Kind) -> DocumentFile:
    if xberg is None:
        raise Unsupported(_SAVE_AS[kind])
    source.stream.seek(0)
    result = _run(source.stream.read(), _MIME_TYPES[kind])
    if result is None or not result.results:
        raise Damaged
    sections = Sections(Findings())
    for block in re.split(r"\n\s*\n", _FIELD_CODE.sub("", result.results[0].content)):
        _add(block, sections)
    return sections.finish(kind, result.results[0].metadata.title or "")


def _add(block: str, sections: Sections) -> None:
    """Add paragraphs; tabs are the borders of a table's cells, two of them end its row."""
    if _ROW_END not in block:
        for line in block.split("\n"):
            sections.paragraph(line)
        return
    sections.gap()
    for row in block.split(_ROW_END):
        sections.row(row.split("\t"))
    sections.end_table()
    sections.gap()


def _run(data: bytes, mime_type: str) -> Any | None:
    """Return what xberg makes of `data`, or None where it cannot read it."""
    options = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=mime_type)
    config = xberg.ExtractionConfig(
        use_cache=False, disable_ocr=True, extraction_timeout_secs=_TIMEOUT_S
    )

    async def extract() -> Any:
        return await xberg.extract(options, config)

    loop = _Loop()
    try:
        return loop.run_until_complete(extract())
    except (RuntimeError, ValueError, OSError):
        return None
    finally:
        loop.close()


class _Loop(asyncio.BaseEventLoop):
    """A loop that waits on an event of the library's threads instead of on a pair of sockets."""

    def __init__(self) -> None:
        super().__init__()
        self._woken = threading.Event()
        self._selector = self

    def select(self, timeout: float | None = None) -> list[Any]:
        """Wait until there is something to do; `timeout` is in seconds."""
        self._woken.wait(timeout)
        self._woken.clear()
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """Nothing comes from files here."""

    def _write_to_self(self) -> None:
        self._woken.set()
