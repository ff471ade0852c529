"""E-mail messages as they were sent (EML), with what is attached to them."""

import base64
import codecs
import email
import email.policy
import io
from collections import deque
from email.generator import BytesGenerator
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from app.documents import charsets
from app.documents.charsets import decoded
from app.documents.decoding import decode
from app.documents.formats.format import Context, Damaged, DocumentFile, Findings, Source, TooMuch
from app.documents.formats.letter import (
    Body,
    Letter,
    leave_out_picture,
    message_file,
    sealed_reason,
)
from app.documents.formats.parts import PartsFile
from app.documents.formats.web_text import decode_page

_MOST_BYTES = 150_000_000
_SIGNATURES = (
    "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature",
)  # fmt: skip
_PGP_NOTE = "application/pgp-encrypted"
_MESSAGE = "message/rfc822"
_PLAIN, _PAGE = "text/plain", "text/html"
# Plain text that only says that there is a page.
_LONGEST_EXCUSE_CHARS = 300
# A parser of headers that somebody else broke raises anything.
_BROKEN = (ValueError, LookupError, AttributeError, TypeError, AssertionError)


def prepare() -> None:
    """Load the encodings of mail, and what is loaded at the first message."""
    charsets.prepare()
    for name in ("quopri", "base64", "uu"):
        codecs.lookup(name)
    message = email.message_from_bytes(b"Subject: =?utf-8?q?a?=\n\nb", policy=email.policy.default)
    str(message["subject"])


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the message.

    Raises:
        TooMuch: It is nested without end, or too large.
        Damaged: It cannot be taken apart.
    """
    if source.size_bytes > _MOST_BYTES:
        raise TooMuch(f"{_MOST_BYTES // 1_000_000} MB")
    try:
        message = email.message_from_binary_file(source.stream, policy=email.policy.default)
        return _read(message, context)
    except RecursionError as error:
        raise TooMuch("depth") from error
    except _BROKEN as error:
        raise Damaged from error


def _read(message: EmailMessage, context: Context) -> PartsFile:
    bodies, others = _sorted_parts(message)
    letter = Letter(
        subject=_header(message, "subject"),
        sender=_header(message, "from"),
        to=_header(message, "to"),
        cc=_header(message, "cc"),
        date=_date(message),
        bodies=tuple(_body(part) for part in bodies),
    )
    file = message_file(letter, context, Findings())
    for part in others:
        try:
            _attach(part, file)
        except _BROKEN:
            file.leave_out(_name(part) or part.get_content_type(), "it is damaged")
    return file


def _sorted_parts(message: EmailMessage) -> tuple[list[Message], list[Message]]:
    """Return the parts that are its text, and what is attached."""
    bodies: list[Message] = []
    others: list[Message] = []
    waiting: deque[tuple[Message, bool]] = deque([(message, True)])
    while waiting:
        part, has_text = waiting.popleft()
        kind = part.get_content_type()
        if kind != _MESSAGE and part.is_multipart():
            waiting.extendleft(reversed(_inside(part, has_text=has_text)))
        elif kind in (_PLAIN, _PAGE) and not _is_attached(part):
            bodies += [part] if has_text else []
        elif kind not in _SIGNATURES and kind != _PGP_NOTE:
            others.append(part)
    return bodies, others


def _inside(part: Message, *, has_text: bool) -> list[tuple[Message, bool]]:
    """Return what is in `part`, and of each whether its text counts: of alternatives one does."""
    payload = part.get_payload()
    inner = [each for each in payload if isinstance(each, Message)]
    if part.get_content_type() != "multipart/alternative":
        return [(each, has_text) for each in inner]
    plain = next((each for each in inner if each.get_content_type() == _PLAIN), None)
    pages = [each for each in inner if each.is_multipart() or each.get_content_type() == _PAGE]
    chosen = pages[-1] if pages and (plain is None or _is_excuse(_text(plain))) else plain
    # Of what is not chosen only its attachments are looked for.
    return [
        (each, has_text and each is chosen)
        for each in inner
        if each is chosen or each.is_multipart() or not each.get_content_type().startswith("text/")
    ]


def _is_excuse(text: str) -> bool:
    shown = text.strip().lower()
    return not shown or (len(shown) <= _LONGEST_EXCUSE_CHARS and "html" in shown)


def _attach(part: Message, file: PartsFile) -> None:
    kind = part.get_content_type()
    name = _name(part)
    if kind == _MESSAGE:
        inner = part.get_payload()
        forwarded = inner[0] if isinstance(inner, list) and inner else None
        if isinstance(forwarded, Message):
            data = _unwrapped(part, forwarded) or _spelled(forwarded)
            name = name or f"{_header(forwarded, 'subject') or 'message'}.eml"
            file.add(Source(name, io.BytesIO(data), len(data)))
        return
    if kind.startswith("image/") and part.get("content-id") and not _is_attachment(part):
        leave_out_picture(file.findings)
        return
    data = _bytes(part)
    sealed = sealed_reason(name, kind, data)
    if sealed:
        file.leave_out(name or kind, sealed)
    elif data:
        file.add(Source(name or kind, io.BytesIO(data), len(data)))


def _unwrapped(part: Message, forwarded: Message) -> bytes:
    """Return a message that a program packed as base64, which the rules do not allow."""
    if part.get("content-transfer-encoding", "").strip().lower() != "base64" or forwarded.keys():
        return b""
    payload = forwarded.get_payload()
    return base64.b64decode(payload) if isinstance(payload, str) else b""


def _spelled(message: Message) -> bytes:
    """Return a message as it would be sent."""
    stream = io.BytesIO()
    BytesGenerator(stream, mangle_from_=False).flatten(message)
    return stream.getvalue()


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _is_attached(part: Message) -> bool:
    return _is_attachment(part) or bool(_name(part))


def _name(part: Message) -> str:
    try:
        return " ".join((part.get_filename() or "").split())
    except _BROKEN:
        return ""


def _header(message: Message, name: str) -> str:
    """Return a header as people read it; one that is broken comes as it stands."""
    try:
        text = str(message.get(name, ""))
    except _BROKEN:
        text = next((str(v) for k, v in message.raw_items() if k.lower() == name), "")
    return text.encode("utf-8", "replace").decode()


def _date(message: Message) -> str:
    text = _header(message, "date")
    try:
        return parsedate_to_datetime(text).strftime("%Y-%m-%d %H:%M %z").strip()
    except _BROKEN:
        return text


def _bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    data = _bytes(part)
    text = decoded(data, part.get_content_charset(""))
    return decode(data) if text is None else text


def _body(part: Message) -> Body:
    if part.get_content_type() == _PLAIN:
        return Body(_text(part))
    return Body(decode_page(_bytes(part), part.get_content_charset("")), is_page=True)
