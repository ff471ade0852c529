"""A message as a document: its head, its text as it was sent, then its attachments."""

import re
from dataclasses import dataclass, replace

from app.documents.formats.format import Context, Findings
from app.documents.formats.parts import PartsFile
from app.documents.formats.sections import Sections
from app.documents.formats.web_text import read_page
from app.documents.values import LeftOut

_LONGEST_NAMES_CHARS = 2000
_SEALED = "it is encrypted or sealed for its receiver"
_OUTLOOKS = "it is in a form that only Outlook opens"
_KEY = "it is a key or a signature"
_SEALED_KINDS = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SEALED_ENDINGS = (".p7m", ".rpmsg", ".pgp", ".gpg")
_TNEF_KIND, _TNEF_NAME, _TNEF = "application/ms-tnef", "winmail.dat", b"\x78\x9f\x3e\x22"
_PGP = b"-----BEGIN PGP "
_PGP_MESSAGE = b"-----BEGIN PGP MESSAGE-----"
_PGP_BLOCK = re.compile(
    r"^-----BEGIN PGP (MESSAGE|SIGNATURE|PUBLIC KEY BLOCK)-----$.*?(^-----END PGP \1-----$|\Z)",
    re.M | re.S,
)
_PGP_HEAD = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----\n(Hash: .*\n)*", re.M)


@dataclass(frozen=True, slots=True)
class Body:
    """A text of a message: plain, or the source of a web page."""

    text: str
    is_page: bool = False


@dataclass(frozen=True, slots=True)
class Letter:
    """What a message says of itself.

    Attributes:
        date: As people write it, or empty.
        bodies: What it says, one after the other.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: str = ""
    bodies: tuple[Body, ...] = ()


def message_file(letter: Letter, context: Context, findings: Findings) -> PartsFile:
    """Return the message as a document, to which attachments can be added."""
    sections = Sections(findings)
    head = (
        ("From", letter.sender),
        ("To", letter.to),
        ("Cc", letter.cc),
        ("Date", letter.date),
        ("Subject", letter.subject),
    )
    for name, value in head:
        shown = " ".join(value.split())[:_LONGEST_NAMES_CHARS]
        if shown:
            sections.paragraph(f"{name}: {shown}", stands_close=True)
    sections.gap()
    for body in letter.bodies:
        if body.is_page:
            read_page(body.text, sections)
        else:
            _add_plain(_without_seals(body.text, findings), sections)
    own = sections.finish("mail", letter.subject)
    pages = tuple(replace(page, label="", unit="message") for page in own.content)
    return PartsFile(
        "mail",
        "message",
        context,
        title=own.title,
        own=pages,
        bookmarks=own.bookmarks,
        findings=findings,
    )


def sealed_reason(name: str, kind: str, data: bytes) -> str:
    """Return why nobody but a program of mail can read an attachment, or empty.

    Args:
        name: Its file name, or empty.
        kind: Its media type, or empty.
        data: Its content.
    """
    lower = name.lower()
    if kind == _TNEF_KIND or lower == _TNEF_NAME or data.startswith(_TNEF):
        return _OUTLOOKS
    start = data[:100].lstrip()
    if kind in _SEALED_KINDS or lower.endswith(_SEALED_ENDINGS) or start.startswith(_PGP_MESSAGE):
        return _SEALED
    return _KEY if start.startswith(_PGP) else ""


def leave_out_picture(findings: Findings) -> None:
    """Count a picture in the text of a message, such as a logo: one word for all of them."""
    for index, one in enumerate(findings.left_out):
        if one.code == "pictures_left_out" and not one.name:
            findings.left_out[index] = replace(one, count=one.count + 1)
            return
    findings.left_out.append(LeftOut("pictures_left_out"))


def _without_seals(text: str, findings: Findings) -> str:
    """Return `text` without what PGP put into it; what it encrypts is named."""
    text = text.replace("\r\n", "\n")
    for block in _PGP_BLOCK.finditer(text):
        if block[1] == "MESSAGE":
            findings.left_out.append(LeftOut("part_left_out", "PGP MESSAGE", detail=_SEALED))
    return _PGP_HEAD.sub("", _PGP_BLOCK.sub("", text))


def _add_plain(text: str, sections: Sections) -> None:
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.strip():
            block.append(line)
        elif block:
            sections.paragraph("\n".join(block))
            block = []
