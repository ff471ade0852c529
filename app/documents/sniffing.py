"""Tells what a file is from its first bytes; a name says nothing about content.

Text has no signature: whatever holds none of the known ones, and no control characters, is text.
"""

import re
import zipfile
from typing import BinaryIO

from app.documents.decoding import decode, has_wide_encoding

HEAD_BYTES = 4096
TEXT = "text"
PDF = "PDF"

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"{\\rtf", "an RTF document"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (0, b"II*\x00", "a TIFF image"),
    (0, b"MM\x00*", "a TIFF image"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"\x1f\x8b", "a compressed file"),
    (0, b"7z\xbc\xaf", "a compressed file"),
    (0, b"Rar!", "a compressed file"),
    (0, b"SQLite format 3\x00", "a database"),
    (0, b"GGUF", "a language model (add it with: snug models add)"),
    (4, b"ftyp", "a HEIC image or a film"),
    (0, b"RIFF", "a WebP image, or sound"),
)
_IN_ZIP: tuple[tuple[str, str], ...] = (
    ("word/", "a Word document (DOCX)"),
    ("ppt/", "a PowerPoint presentation (PPTX)"),
    ("xl/", "an Excel workbook (XLSX)"),
    ("META-INF/container.xml", "an EPUB book"),
    ("content.xml", "an OpenDocument file"),
    ("Index/", "a Pages, Numbers or Keynote document"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_IN_OLE: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", "an Office document protected by a password"),
    ("__substg1.0_", "an Outlook message (MSG)"),
    ("WordDocument", "a Word document of 97-2003 (DOC)"),
    ("PowerPoint Document", "a PowerPoint presentation of 97-2003 (PPT)"),
    ("Workbook", "an Excel workbook of 97-2003 (XLS)"),
    ("Book", "an Excel workbook of 97-2003 (XLS)"),
)
_OLE_SEARCH_BYTES = 16_000_000
_HTML = re.compile(
    r"\ufeff?\s*(<\?xml[^>]*>\s*)?(<!--.{0,999}?-->\s*)?<(!doctype html|html|head)\b", re.I | re.S
)
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


def sniff(stream: BinaryIO) -> str:
    """Return PDF, TEXT, or what the file looks like, such as `a PNG image`; rewinds `stream`."""
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    # Readers of PDF find the header anywhere in the first kilobyte.
    if b"%PDF-" in head[:1024]:
        return PDF
    found = next((name for at, magic, name in _SIGNATURES if head.startswith(magic, at)), None)
    if found is not None:
        return found
    if head.startswith(_OLE):
        return _in_ole(stream)
    if head.startswith(b"PK\x03\x04"):
        return _in_zip(stream)
    return _text_or(head)


def _in_zip(stream: BinaryIO) -> str:
    try:
        names = zipfile.ZipFile(stream).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "a damaged Office document or ZIP archive"
    finally:
        stream.seek(0)
    for start, kind in _IN_ZIP:
        if any(name.startswith(start) for name in names):
            return kind
    return "a ZIP archive"


def _in_ole(stream: BinaryIO) -> str:
    content = stream.read(_OLE_SEARCH_BYTES)
    stream.seek(0)
    for name, kind in _IN_OLE:
        if name.encode("utf-16-le") in content:
            return kind
    return "an Office document of 97-2003"


def _text_or(head: bytes) -> str:
    is_wide = has_wide_encoding(head)
    text = decode(head) if is_wide else head.decode("latin-1")
    if _HTML.match(text):
        return "a web page (HTML)"
    header = re.split(r"\r?\n\r?\n", text, maxsplit=1)[0]
    if _MAIL_TRACE.search(header) and len(_MAIL.findall(header)) >= _MAIL_HEADERS:
        return "an e-mail message"
    if not is_wide and len(_CONTROL.findall(head)) > _MOST_CONTROL * len(head):
        return "no kind of file that is known"
    return TEXT
