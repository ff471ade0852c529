"""E-mail messages as they were sent (EML), with what is attached to them."""

import base64
import codecs
import email
import email.policy
import io
from email.generator import BytesGenerator
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from app.documents.decoding import decode
from app.documents.formats.format import Context, Damaged, DocumentFile, Findings, Source, TooMuch
from app.documents.formats.letter import Letter, message_file
from app.documents.formats.parts import PartsFile
from app.documents.formats.web_text import decode_page
from app.documents.values import LeftOut

_MOST_BYTES = 150_000_000
_CHARSETS = (
    "us-ascii", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6",
    "iso-8859-7", "iso-8859-8", "iso-8859-9", "iso-8859-13", "iso-8859-15", "windows-1250",
    "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
    "windows-1256", "windows-1257", "windows-1258", "koi8-r", "koi8-u", "gb2312", "gbk", "gb18030",
    "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "ks_c_5601-1987", "tis-620", "utf-7",
    "utf-8", "utf-16", "macintosh", "quopri", "base64", "uu",
)  # fmt: skip
_SECRET = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = (
    "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature",
)  # fmt: skip
_WINMAIL = "application/ms-tnef"
_BODIES = ("text/plain", "text/html")
# A parser of headers that somebody else broke raises anything.
_BROKEN = (ValueError, LookupError, AttributeError, TypeError, AssertionError)


def prepare() -> None:
    """Load the encodings of mail, which a walled process cannot load later."""
    for name in _CHARSETS:
        try:
            codecs.lookup(name)
        except LookupError:
            continue
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
    plain, page, others = _sorted_parts(message)
    findings = Findings()
    letter = Letter(
        subject=_header(message, "subject"),
        sender=_header(message, "from"),
        to=_header(message, "to"),
        cc=_header(message, "cc"),
        date=_date(message),
        text="\n\n".join(_text(part) for part in plain),
        page="\n".join(_page(part) for part in page),
    )
    file = message_file(letter, context, findings)
    for part in others:
        try:
            _attach(part, file)
        except _BROKEN:
            _leave_out(file, _name(part) or part.get_content_type(), "it is damaged")
    return file


def _sorted_parts(message: EmailMessage) -> tuple[list[Message], list[Message], list[Message]]:
    """Return the parts that are plain text, those that are pages, and what is attached."""
    plain: list[Message] = []
    page: list[Message] = []
    others: list[Message] = []
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop(0)
        kind = part.get_content_type()
        is_attached = part.get_content_disposition() == "attachment" or bool(_name(part))
        if kind == "message/rfc822" or kind in _SECRET:
            others.append(part)
        elif part.is_multipart():
            inner = part.get_payload()
            waiting[:0] = [each for each in inner if isinstance(each, Message)]
        elif kind in _BODIES and not is_attached:
            (plain if kind == "text/plain" else page).append(part)
        elif kind not in _SIGNATURES:
            others.append(part)
    return plain, page, others


def _attach(part: Message, file: PartsFile) -> None:
    kind = part.get_content_type()
    name = _name(part)
    if kind == "message/rfc822":
        inner = part.get_payload()
        forwarded = inner[0] if isinstance(inner, list) and inner else None
        if isinstance(forwarded, Message):
            data = _unwrapped(part, forwarded) or _spelled(forwarded)
            name = name or f"{_header(forwarded, 'subject') or 'message'}.eml"
            file.add(Source(name, io.BytesIO(data), len(data)))
        return
    if kind in _SECRET:
        _leave_out(file, name or "smime.p7m", "it is encrypted or sealed for the receiver")
        return
    if kind == _WINMAIL:
        _leave_out(file, name or "winmail.dat", "it is in a form that only Outlook opens")
        return
    if kind.startswith("image/") and part.get("content-id") and not _is_attachment(part):
        file.findings.left_out.append(LeftOut("pictures_left_out"))
        return
    payload = part.get_payload(decode=True)
    if isinstance(payload, bytes) and payload:
        file.add(Source(name or kind, io.BytesIO(payload), len(payload)))


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


def _leave_out(file: PartsFile, name: str, reason: str) -> None:
    file.findings.left_out.append(LeftOut("part_left_out", name, detail=reason))


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


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
    charset = part.get_content_charset("")
    try:
        return data.decode(charset) if charset and charset != "us-ascii" else decode(data)
    except (LookupError, UnicodeDecodeError):
        return decode(data)


def _page(part: Message) -> str:
    data = _bytes(part)
    charset = part.get_content_charset("")
    try:
        return data.decode(charset) if charset else decode_page(data)
    except (LookupError, UnicodeDecodeError):
        return decode_page(data)
