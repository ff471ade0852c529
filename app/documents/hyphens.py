"""Puts words together again that a PDF divides at the end of a line.

A hyphen there may belong to the word or not. It goes where the word stands undivided elsewhere in
the document, and where its end stands nowhere by itself; else the mark stays for those who read on.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.documents.document import Line, Page

MARK = "\ufffe"
_DIVIDED = re.compile(rf"(\w+){MARK}(\w+)")
_WORD = re.compile(r"\w+")


def joined(pages: Iterable[Page]) -> tuple[Page, ...]:
    """Return the pages with every divided word joined that stands undivided on one of them."""
    known_pages = tuple(pages)
    wanted = {
        word.lower()
        for page in known_pages
        for line in page.lines
        if MARK in line.text
        for found in _DIVIDED.finditer(line.text)
        for word in (found[1] + found[2], found[2])
    }
    if not wanted:
        return known_pages
    known = {
        word
        for page in known_pages
        for line in page.lines
        for word in wanted.intersection(_WORD.findall(_DIVIDED.sub("", line.text).lower()))
    }
    return tuple(_page(page, known) for page in known_pages)


def _page(page: Page, known: set[str]) -> Page:
    if not any(MARK in line.text for line in page.lines):
        return page
    return replace(page, lines=tuple(_lines(page.lines, known)))


def _lines(lines: Iterable[Line], known: set[str]) -> Iterator[Line]:
    for line in lines:
        if MARK not in line.text:
            yield line
            continue
        text = _DIVIDED.sub(lambda found: _put_together(found, known), line.text)
        lost = line.text.count(MARK, 0, line.lead_chars) - text.count(MARK, 0, line.lead_chars)
        yield replace(line, text=text, lead_chars=line.lead_chars - max(0, lost))


def _put_together(found: re.Match[str], known: set[str]) -> str:
    word, end = found[1] + found[2], found[2]
    is_no_word = end.isalpha() and end.islower() and end not in known
    return word if is_no_word or word.lower() in known else found[0]
