"""Finds words in the text of a document's pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.document import Page

_MOST_HITS = 2_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where the words stand: the page, and the how-manieth on it, from 0."""

    page: int
    nth: int


def pattern(query: str) -> re.Pattern[str] | None:
    """Return what finds `query`, its words divided by any white space; None without words."""
    words = [re.escape(word) for word in query.split()]
    return re.compile(r"\s+".join(words), re.IGNORECASE) if words else None


def search(pages: Sequence[Page], query: str) -> tuple[Hit, ...]:
    """Return where `query` stands, in reading order; a divided word counts as a whole one."""
    wanted = pattern(query)
    if wanted is None:
        return ()
    hits: list[Hit] = []
    for page in pages:
        text = "\n".join(line.text for line in page.lines).replace("\ufffe\n", "")
        found = sum(1 for _ in wanted.finditer(text))
        hits += [Hit(page.number, nth) for nth in range(found)]
        if len(hits) >= _MOST_HITS:
            break
    return tuple(hits[:_MOST_HITS])
