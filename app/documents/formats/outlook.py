"""Outlook's messages (MSG), and messages inside of them.

What lies in such a file is described in [MS-OXMSG]: storages of properties by number.
"""

import io
from collections.abc import Iterator

import olefile
from oxmsg.domain import constants as ids
from oxmsg.properties import Properties
from oxmsg.storage import Storage

from app.documents.formats import mail, opening
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    FormatError,
    Source,
    TooMuch,
)
from app.documents.formats.letter import (
    Body,
    Letter,
    leave_out_picture,
    message_file,
    sealed_reason,
)
from app.documents.formats.outlook_rtf import unpack
from app.documents.formats.parts import PartsFile
from app.documents.formats.web_text import decode_page
from app.documents.values import LeftOut

_MOST_BYTES = 150_000_000
# Where properties begin in the stream of a message, of one inside another, and of an attachment.
_ROOT_OFFSET, _INNER_OFFSET, _ATTACHMENT_OFFSET = 32, 24, 8
_INNER_MESSAGE = "__substg1.0_3701000D"
_EMBEDDED_METHOD = 5
_CONTENT_ID = ids.PID_ATTACH_CONTENT_ID
# What the libraries raise over a file that somebody else broke.
_BROKEN = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError,
    LookupError, OverflowError, NotImplementedError,
)  # fmt: skip


def prepare() -> None:
    """Load the encodings that messages may use."""
    mail.prepare()


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the message.

    Raises:
        TooMuch: It is too large, or nested without end.
        Damaged: It cannot be taken apart.
    """
    if source.size_bytes > _MOST_BYTES:
        raise TooMuch(f"{_MOST_BYTES // 1_000_000} MB")
    try:
        with olefile.OleFileIO(source.stream) as ole:
            root = Storage.from_ole(ole)
        return _read(root, _ROOT_OFFSET, context)
    except RecursionError as error:
        raise TooMuch("depth") from error
    except _BROKEN as error:
        raise Damaged from error


def _read(storage: Storage, offset: int, context: Context) -> PartsFile:
    properties = Properties(storage, properties_header_offset=offset)
    findings = Findings()
    text = _string(properties, ids.PID_BODY)
    page = "" if text.strip() else _page(properties)
    if not text.strip() and not page:
        text = _rich_text(properties, context)
    sent = properties.date_prop_value(ids.PID_CLIENT_SUBMIT_TIME)
    letter = Letter(
        subject=_string(properties, ids.PID_SUBJECT),
        sender=_sender(properties),
        to=_string(properties, ids.PID_DISPLAY_TO),
        cc=_string(properties, ids.PID_DISPLAY_CC),
        date=sent.strftime("%Y-%m-%d %H:%M %z") if sent else "",
        bodies=(Body(page, is_page=True),) if page else (Body(text),),
    )
    file = message_file(letter, context, findings)
    for attachment in storage.iter_attachment_storages():
        try:
            _attach(attachment, file, context)
        except _BROKEN:
            findings.left_out.append(LeftOut("embedded_left_out"))
    return file


def _attach(storage: Storage, file: PartsFile, context: Context) -> None:
    properties = Properties(storage, properties_header_offset=_ATTACHMENT_OFFSET)
    name = (
        _string(properties, ids.PID_ATTACH_LONG_FILENAME)
        or _string(properties, ids.PID_ATTACH_FILENAME)
        or _string(properties, ids.PID_DISPLAY_NAME)
    )
    if properties.int_prop_value(ids.PID_ATTACH_METHOD) == _EMBEDDED_METHOD:
        inner = next((each for each in storage.storages if each.name == _INNER_MESSAGE), None)
        if inner is None:
            file.findings.left_out.append(LeftOut("embedded_left_out", name))
        else:
            file.add_open(name or "message", lambda it: _read(inner, _INNER_OFFSET, it))
        return
    data = properties.binary_prop_value(ids.PID_ATTACH_DATA_BINARY)
    kind = _string(properties, ids.PID_ATTACH_MIME_TAG)
    if kind.startswith("image/") and _string(properties, _CONTENT_ID):
        leave_out_picture(file.findings)
    elif sealed := sealed_reason(name, kind, data or b""):
        file.leave_out(name or kind, sealed)
    elif data:
        context.budget.take_bytes(len(data))
        file.add(Source(name or "attachment", io.BytesIO(data), len(data)))
    else:
        file.findings.left_out.append(LeftOut("embedded_left_out", name))


def _string(properties: Properties, number: int) -> str:
    try:
        return properties.str_prop_value(number) or ""
    except _BROKEN:
        return ""


def _sender(properties: Properties) -> str:
    name = _string(properties, ids.PID_SENDER_NAME)
    address = _string(properties, ids.PID_SENDER_SMTP_ADDRESS) or _string(
        properties, ids.PID_SENDER_EMAIL_ADDRESS
    )
    if not name:
        name = _string(properties, ids.PID_SENT_REPRESENTING_NAME)
    is_address = "@" in address and address != name
    return f"{name} <{address}>" if name and is_address else name or address


def _page(properties: Properties) -> str:
    try:
        data = properties.binary_prop_value(ids.PID_HTML)
        if data:
            is_said = properties.int_prop_value(ids.PID_INTERNET_CODEPAGE) is not None
            return decode_page(data, properties.body_encoding if is_said else "")
    except _BROKEN:
        return ""
    return _string(properties, ids.PID_BODY_HTML)


def _rich_text(properties: Properties, context: Context) -> str:
    """Return the text of a body that Outlook kept as rich text only."""
    try:
        packed = properties.binary_prop_value(ids.PID_RTF_COMPRESSED)
        data = unpack(packed, context.budget) if packed else b""
        if not data:
            return ""
        file = opening.open_file(Source("", io.BytesIO(data), len(data)), context)
    except (FormatError, *_BROKEN):
        return ""
    return "\n".join(_lines(file))


def _lines(file: DocumentFile) -> Iterator[str]:
    for page in file.pages():
        yield from (line.text for line in page.lines)
