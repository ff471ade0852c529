"""The running text of a message: who wrote which part, and quoted history as plain text.

The head of a message, and the line that introduces a quoted one, become a heading that says who
wrote and when. The marks before quoted lines go, so that a text quoted in every answer is the same
text each time, which choosing counts once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.documents.document import Line, Page

_HEAD = re.compile(
    r"^\*?(From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Importance|Attachments?|Von|An|Datum|Gesendet|"
    r"Betreff|Anlagen?)\*?:\s*(.*)$",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^(?:>\s?)+")
_WROTE = re.compile(
    r"^(?:On (?P<when>.{6,80}?),? (?P<who>[^,<>\d][^<>]{1,60}?)\s*(?:<[^>]*>)? wrote"
    r"|Am (?P<am>.{6,80}?) schrieb (?P<von>[^<>]{2,60}?)\s*(?:<[^>]*>)?):$"
)
_ORIGINAL = re.compile(
    r"^[-_\s]*(original message|ursprüngliche nachricht|forwarded message|"
    r"weitergeleitete nachricht)"
    r"[-_\s]*$|^_{8,}$",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"^--\s*$")
_GREETING = re.compile(
    r"^(hi|hello|dear|hallo|liebe[r]?|sehr geehrte[r]?|guten tag|(best|kind|many)? ?regards|cheers|"
    r"thanks|thank you|mit freundlichen grüßen|viele grüße|beste grüße|lg|mfg|gesendet von|"
    r"sent from my)\b.{0,40}$",
    re.IGNORECASE,
)
# No font is so large: what stands in such a line is a heading whatever it looks like.
HEADING_HEIGHT = 999.0
_BETWEEN = " · "
_FROM, _WHEN = ("from", "von"), ("date", "sent", "datum", "gesendet")
_ADDRESS = re.compile(r"\s*[<\[(](?:mailto:)?[^<>()\[\]\s]+@[^<>()\[\]\s]+[>\])]|[\"']")


@dataclass(slots=True)
class _Head:
    who: str = ""
    when: str = ""

    @property
    def title(self) -> str:
        return _BETWEEN.join(part for part in (self.who, self.when) if part)


def without_frames(page: Page) -> Page:
    """Return a page of a message with its heads as headings, without quote marks and signatures."""
    return replace(page, lines=tuple(_lines(page.lines)))


def author_of(heading: str) -> tuple[str, str]:
    """Return who wrote and when, out of a heading that `without_frames` made."""
    who, _, when = heading.partition(_BETWEEN)
    return who, when


def _lines(lines: Sequence[Line]) -> Iterator[Line]:
    head: _Head | None = None
    is_signature = False
    for line in lines:
        is_quoted = _MARKS.match(line.text) is not None
        text = _MARKS.sub("", line.text).strip()
        if (found := _HEAD.match(text)) and (
            head is not None or found[1].lower() in (*_FROM, *_WHEN)
        ):
            head = head or _Head()
            _note(head, found[1].lower(), found[2])
            is_signature = False
            continue
        if head is not None and text:
            yield from _heading(head)
            head = None
        if wrote := _WROTE.match(text):
            who, when = wrote["who"] or wrote["von"], wrote["when"] or wrote["am"]
            yield from _heading(_Head(_name(who), when))
            is_signature = False
        elif _ORIGINAL.match(text):
            is_signature = False
        elif _SIGNATURE.match(text):
            is_signature = True
        elif is_signature and not is_quoted:
            continue
        elif _GREETING.match(text):
            yield Line("")
        else:
            yield replace(line, text=text)
    if head is not None:
        yield from _heading(head)


def _note(head: _Head, name: str, value: str) -> None:
    if name in _FROM:
        head.who = _name(value)
    elif name in _WHEN:
        head.when = value.strip()


def _name(text: str) -> str:
    return _ADDRESS.sub("", text).strip(" ,;") or text.strip()


def _heading(head: _Head) -> Iterator[Line]:
    yield Line("")
    if head.title:
        yield Line(head.title, height=HEADING_HEIGHT, bold=True)
