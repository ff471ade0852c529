"""A message as a document: its head, its text as it was sent, then its attachments."""

from dataclasses import dataclass, replace

from app.documents.formats.format import Context, Findings
from app.documents.formats.parts import PartsFile
from app.documents.formats.sections import Sections
from app.documents.formats.web_text import read_page

_LONGEST_NAMES_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Letter:
    """What a message says of itself.

    Attributes:
        date: As people write it, or empty.
        text: Its plain text, or empty.
        page: Its text as a web page; used where there is no plain text.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: str = ""
    text: str = ""
    page: str = ""


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
    if letter.text.strip():
        _add_plain(letter.text, sections)
    elif letter.page:
        read_page(letter.page, sections)
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


def _add_plain(text: str, sections: Sections) -> None:
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.strip():
            block.append(line)
        elif block:
            sections.paragraph("\n".join(block))
            block = []
