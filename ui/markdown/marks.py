"""Links from an answer to the pages it rests on: found by code, never written by a model.

They are put into the Markdown as noncharacters, which no text may hold, and come out as links with
a scheme of Snug's own. Whatever a model writes, it cannot make such a link: its own noncharacters
are taken away first, and its own links are checked by `links.is_allowed`.
"""

import re
from collections.abc import Sequence
from html import escape

SCHEME = "snug-source:"

_MARK, _MARK_END = "\ufdd0", "\ufdd1"
_LINK, _LINK_TEXT, _LINK_END = "\ufdd2", "\ufdd3", "\ufdd4"
_ALL = re.compile("[\ufdd0-\ufdef]")
_MARKS = re.compile(f"{_MARK}(\\d+){_MARK_END}")
_LINKS = re.compile(f"{_LINK}(\\d+){_LINK_TEXT}([^{_LINK_END}<]*){_LINK_END}")
_ADDRESS = re.compile(r"\]\([^()\s]*\)|<[a-z]+:[^<>\s]*>")
_PLACE = re.compile(r"\([^()\n]{1,160}\)")
_CELL = re.compile(r"(?<=\| )[^|\n]{1,160}(?= \|)")


def insert(text: str, marks: Sequence[tuple[int, int]]) -> str:
    """Return `text` with marks: pairs of a place in it, in characters, and a number.

    Where a place in brackets begins, such as `(p. 12)`, or in a cell of a table, it becomes the
    link itself. Marks that stand nowhere in the text are left out.
    """
    text = _ALL.sub("\ufffd", text)
    addresses = [match.span() for match in _ADDRESS.finditer(text)]
    placed = [(_outside(at, addresses), number) for at, number in marks if 0 <= at <= len(text)]
    for at, number in sorted(placed, reverse=True):
        span = _link_span(text, at)
        if span:
            start, end = span
            linked = f"{_LINK}{number}{_LINK_TEXT}{text[start:end]}{_LINK_END}"
            text = text[:start] + linked + text[end:]
        else:
            text = f"{text[:at]}{_MARK}{number}{_MARK_END}{text[at:]}"
    return text


def _link_span(text: str, at: int) -> tuple[int, int] | None:
    """Return from where to where a place reaches that begins at `at`, without its brackets."""
    place = _PLACE.match(text, at)
    if place:
        return place.start() + 1, place.end() - 1
    cell = _CELL.match(text, at)
    return cell.span() if cell else None


def _outside(at: int, addresses: Sequence[tuple[int, int]]) -> int:
    """Move a mark behind the address of a link."""
    return next((end for start, end in addresses if start < at < end), at)


def to_links(html: str) -> str:
    """Return HTML with the marks in it as links."""
    html = _LINKS.sub(rf'<a href="{SCHEME}\1">\2</a>', html)
    html = _MARKS.sub(rf'&#8202;<a class="mark" href="{SCHEME}\1">[\1]</a>', html)
    return _ALL.sub("", html)


def strip(text: str) -> str:
    """Return text without the marks in it, for code."""
    text = _MARKS.sub("", text)
    text = re.sub(f"{_LINK}\\d+{_LINK_TEXT}", "", text)
    return _ALL.sub("", text)


def number_of(url: str) -> int | None:
    """Return the number behind one of Snug's own links, or None for every other address."""
    rest = url.removeprefix(SCHEME)
    return int(rest) if rest != url and rest.isascii() and rest.isdigit() else None


def emphasized(passage: str, marked: Sequence[str]) -> str:
    """Return a passage as HTML with the sentences that count in bold."""
    html = escape(passage, quote=False)
    for sentence in sorted(set(marked), key=len, reverse=True):
        shown = escape(sentence.strip(), quote=False)
        if shown:
            html = html.replace(shown, f"<b>{shown}</b>")
    return html.replace("\n", "<br>")
