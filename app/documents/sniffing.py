"""Tells what a file is from its content; a name says nothing about it.

Text has no signature: whatever holds none of the known ones, and no control characters, is text.
"""

import csv
import io
import re
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import BinaryIO

import olefile

from app.documents.decoding import decode, has_wide_encoding
from app.documents.document import Kind

_HEAD_BYTES = 4096
_BLOCK_BYTES = 1 << 20
_ATTACHED = b"/EmbeddedFile"


@dataclass(frozen=True, slots=True)
class Sniffed:
    """What a file looks like.

    Attributes:
        what: In words that end a sentence that begins with `it is`.
        kind: None where Snug cannot read it, or where a password hides what it is.
        reader: The module of `app.documents.formats` that reads it, or empty.
        is_locked: It is an Office document that a password turned into another file.
        holds_files: Files of any kind may be inside.
    """

    what: str
    kind: Kind | None = None
    reader: str = ""
    is_locked: bool = False
    holds_files: bool = False


TEXT = Sniffed("text", "text", "plain_text")
PDF = Sniffed("a PDF document", "pdf", "pdf")
_PDF_WITH_FILES = replace(PDF, holds_files=True)
_LOCKED = Sniffed("an Office document protected by a password", is_locked=True)
_DAMAGED_ZIP = Sniffed("a damaged Office document or ZIP archive")
_UNKNOWN = Sniffed("no kind of file that is known")
_DOCX = Sniffed("a Word document (DOCX)", "docx", "word")
_PPTX = Sniffed("a PowerPoint presentation (PPTX)", "pptx", "slides")
_XLSX = Sniffed("an Excel workbook (XLSX)", "xlsx", "sheets")
_ODT = Sniffed("an OpenDocument text (ODT)", "odt", "opendocument")
_ODS = Sniffed("an OpenDocument spreadsheet (ODS)", "ods", "sheets")
_ODP = Sniffed("an OpenDocument presentation (ODP)", "odp", "opendocument")
_DOC = Sniffed("a Word document of 97-2003 (DOC)", "doc", "legacy")
_PPT = Sniffed("a PowerPoint presentation of 97-2003 (PPT)", "ppt", "legacy")
_XLS = Sniffed("an Excel workbook of 97-2003 (XLS)", "xls", "sheets")
_MSG = Sniffed("an Outlook message (MSG)", "mail", "outlook", holds_files=True)
_EML = Sniffed("an e-mail message", "mail", "mail", holds_files=True)
_HTML = Sniffed("a web page (HTML)", "html", "web")
_CSV = Sniffed("a table as text (CSV)", "csv", "delimited")
_EPUB = Sniffed("an EPUB book", "epub", "book")
_ZIP = Sniffed("a ZIP archive", "archive", "archive", holds_files=True)
_IWORK = Sniffed("a Pages, Numbers or Keynote document; save it as PDF or Word")

_VISIO = Sniffed("a Visio drawing; save it as PDF")


def _image(name: str) -> Sniffed:
    return Sniffed(name, "image", "image")


_SIGNATURES: tuple[tuple[int, bytes, Sniffed], ...] = (
    (0, b"{\\rtf", Sniffed("an RTF document", "rtf", "rich_text")),
    (0, b"\x89PNG\r\n\x1a\n", _image("a PNG image")),
    (0, b"\xff\xd8\xff", _image("a JPEG image")),
    (0, b"GIF87a", _image("a GIF image")),
    (0, b"GIF89a", _image("a GIF image")),
    (0, b"II*\x00", _image("a TIFF image")),
    (0, b"MM\x00*", _image("a TIFF image")),
    (8, b"WEBP", _image("a WebP image")),
    (0, b"\x7fELF", Sniffed("a program")),
    (0, b"\x1f\x8b", Sniffed("a compressed file")),
    (0, b"BZh", Sniffed("a compressed file")),
    (0, b"\xfd7zXZ\x00", Sniffed("a compressed file")),
    (0, b"7z\xbc\xaf", Sniffed("a compressed file")),
    (0, b"Rar!\x1a\x07", Sniffed("a compressed file")),
    (0, b"SQLite format 3\x00", Sniffed("a database")),
    (0, b"GGUF", Sniffed("a language model (add it with: snug models add)")),
    (0, b"RIFF", Sniffed("sound or a film")),
    (0, b"ID3", Sniffed("sound")),
)
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# By the name of an entry at the root; what is embedded lies deeper.
_IN_OLE: tuple[tuple[str, Sniffed], ...] = (
    ("encryptedpackage", _LOCKED),
    ("__properties_version1.0", _MSG),
    ("worddocument", _DOC),
    ("powerpoint document", _PPT),
    ("pp40", _PPT),
    ("workbook", _XLS),
    ("book", _XLS),
    ("visiodocument", _VISIO),
)
_OTHER_OLE = Sniffed("an old Office document of a kind that is not known")
# What olefile raises over a broken file, besides its own errors, which are OSErrors.
_BROKEN = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError)
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, *_BROKEN)
_MIME_TYPES: tuple[tuple[str, Sniffed], ...] = (
    ("opendocument.text", _ODT),
    ("opendocument.spreadsheet", _ODS),
    ("opendocument.presentation", _ODP),
    ("sun.xml.writer", _ODT),
    ("sun.xml.calc", _ODS),
    ("sun.xml.impress", _ODP),
    ("epub+zip", _EPUB),
    ("opendocument.graphics", Sniffed("an OpenDocument drawing; save it as PDF")),
)
_LONGEST_MIME_TYPE_BYTES = 200
_OOXML_FOLDERS = (("word/", _DOCX), ("ppt/", _PPTX), ("xl/", _XLSX), ("visio/", _VISIO))
_HTML_START = re.compile(
    r"\ufeff?\s*(<\?xml[^>]*>\s*)?(<!--.{0,2999}?-->\s*)*<(?P<tag>!doctype html|[a-z][a-z0-9]*)\b",
    re.I | re.S,
)
_FLAT_ODF = re.compile(r"[^<]{0,3}\s*(<\?xml[^>]*>\s*)?<office:document\s[^>]{0,4000}", re.S)
_WHOLE_PAGE = frozenset(("!doctype html", "html", "head", "body", "title", "meta"))
_PIECE_OF_PAGE = frozenset((
    "div", "table", "p", "h1", "h2", "h3", "h4", "h5", "h6", "center", "font", "span", "ul", "ol",
    "script", "style", "link", "article", "section", "main",
))  # fmt: skip
# Markdown may begin with a tag or two.
_MARKDOWN = re.compile(r"^(#{1,6} \S|```|[-*] \S|\[!\[)", re.M)
_MAIL = re.compile(
    r"^(return-path|received|from|date|subject|to|message-id|mime-version|content-type): ",
    re.M | re.I,
)
# A memo has From and To as well; only these show that the file is a message as it was sent.
_MAIL_TRACE = re.compile(r"^(return-path|received|message-id|mime-version): ", re.M | re.I)
_MAIL_HEADERS = 3
# Bytes that no text in a one-byte encoding holds: control characters but for white space and ESC.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROL = 0.01

DELIMITERS = ("\t", ";", ",", "|")
_FEWEST_ROWS = 2
# Of two columns a few lines of prose can have the look by chance.
_FEWEST_NARROW_ROWS = 4
_REGULAR = 0.9
_LONGEST_CELL_WORDS = 12.0
_MOST_SPACED = 0.5


def sniff(stream: BinaryIO) -> Sniffed:
    """Return what the file in `stream` looks like; rewinds it."""
    stream.seek(0)
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    # Readers of PDF find the header anywhere in the first kilobyte.
    if b"%PDF-" in head[:1024]:
        return _PDF_WITH_FILES if _has_files(stream) else PDF
    found = _by_signature(head)
    if found is not None:
        return found
    if head.startswith(_OLE):
        return _in_ole(stream)
    if head.startswith(_ZIP_STARTS):
        return _in_zip(stream)
    return _text_or(head)


def _has_files(stream: BinaryIO) -> bool:
    """Tell whether a PDF has files attached; the name is never packed, as a stream's own."""
    tail = b""
    found = False
    while not found and (block := stream.read(_BLOCK_BYTES)):
        found = _ATTACHED in tail + block
        tail = block[-len(_ATTACHED) :]
    stream.seek(0)
    return found


def _by_signature(head: bytes) -> Sniffed | None:
    plain = head.lstrip(b"\xef\xbb\xbf\r\n\t ") if head[:64].strip().endswith(b"{\\rtf") else head
    for at, magic, found in _SIGNATURES:
        if plain.startswith(magic, at):
            return found
    if head.startswith(b"ftyp", 4):
        return _image("a HEIC image") if head[8:12] in _HEIF_BRANDS else Sniffed("sound or a film")
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS:
        return _image("a BMP image")
    if head.startswith(b"MZ") and b"\x00" in head:
        return Sniffed("a program")
    return None


def _in_zip(stream: BinaryIO) -> Sniffed:
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
            mime_type = _mime_type(archive, names)
    except _BROKEN_ZIP:
        return _DAMAGED_ZIP
    finally:
        stream.seek(0)
    for word, found in _MIME_TYPES:
        if word in mime_type:
            return found
    return _by_names(names)


def _mime_type(archive: zipfile.ZipFile, names: list[str]) -> str:
    if "mimetype" not in names:
        return ""
    try:
        with archive.open("mimetype") as member:
            return member.read(_LONGEST_MIME_TYPE_BYTES).decode("latin-1")
    except _BROKEN_ZIP:
        return ""


def _by_names(names: list[str]) -> Sniffed:
    lower = [name.replace("\\", "/").lstrip("/").lower() for name in names]
    known = frozenset(lower)
    if "[content_types].xml" in known:
        for folder, found in _OOXML_FOLDERS:
            if any(name.startswith(folder) for name in lower):
                return found
    if "meta-inf/container.xml" in known:
        return _EPUB
    if "content.xml" in known and "meta-inf/manifest.xml" in known:
        return _ODT
    if "index/document.iwa" in known or "index.zip" in known or "index.apxl" in known:
        return _IWORK
    return _ZIP


def _in_ole(stream: BinaryIO) -> Sniffed:
    try:
        with olefile.OleFileIO(stream) as ole:
            roots = {entry[0].lower() for entry in ole.listdir(storages=True) if entry}
    except (*_BROKEN, RecursionError):
        return Sniffed("a damaged Office document of 97-2003")
    finally:
        stream.seek(0)
    return next((found for name, found in _IN_OLE if name in roots), _OTHER_OLE)


def _text_or(head: bytes) -> Sniffed:
    is_wide = has_wide_encoding(head)
    text = decode(head) if is_wide else head.decode("latin-1")
    header = re.split(r"\r?\n\r?\n", text, maxsplit=1)[0]
    if _MAIL_TRACE.search(header) and len(_MAIL.findall(header)) >= _MAIL_HEADERS:
        return _EML
    if flat := _FLAT_ODF.match(text):
        return _flat_odf(flat[0])
    if _is_page(text):
        return _HTML
    if not is_wide and len(_CONTROL.findall(head)) > _MOST_CONTROL * len(head):
        return _UNKNOWN
    whole_rows = text.rpartition("\n")[0] if len(head) == _HEAD_BYTES else text
    return _CSV if any(is_table(whole_rows, sign) for sign in DELIMITERS) else TEXT


def _is_page(text: str) -> bool:
    """Tell a web page, or a piece of one, from Markdown that begins with a tag."""
    found = _HTML_START.match(text)
    if found is None:
        return False
    tag = found["tag"].lower()
    return tag in _WHOLE_PAGE or (tag in _PIECE_OF_PAGE and not _MARKDOWN.search(text))


def _flat_odf(root: str) -> Sniffed:
    """Return what an OpenDocument file in one piece is, by how its XML begins."""
    if "opendocument.spreadsheet" in root:
        return Sniffed("an OpenDocument workbook in one piece; save it as ODS")
    return _ODP if "opendocument.presentation" in root else _ODT


def is_table(text: str, delimiter: str) -> bool:
    """Tell whether nearly all rows have the same number of short cells, two or more."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error:
        return False
    if len(rows) < _FEWEST_ROWS:
        return False
    columns, count = Counter(len(row) for row in rows).most_common(1)[0]
    if columns < 2 or count < _REGULAR * len(rows):  # noqa: PLR2004 - one cell a row is no table
        return False
    if columns == 2 and len(rows) < _FEWEST_NARROW_ROWS:  # noqa: PLR2004
        return False
    cells = [cell for row in rows for cell in row]
    spaced = sum(cell.startswith(" ") for row in rows for cell in row[1:])
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    is_prose = delimiter != "|" and spaced > _MOST_SPACED * (len(cells) - len(rows))
    return words <= _LONGEST_CELL_WORDS and not is_prose
