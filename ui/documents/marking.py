"""Finds the marked sentences in text that is shown as text."""

import re
from collections.abc import Iterable

_SPACES = re.compile(r"\s+")


def spans(text: str, marks: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the marks stand in `text`, in order and without overlaps.

    White space may differ, and a mark that is not there as a whole is not there at all.
    """
    found: list[tuple[int, int]] = []
    for mark in marks:
        words = [re.escape(word) for word in mark.split()]
        if words:
            pattern = re.compile(r"\s+".join(words), re.IGNORECASE)
            found += [match.span() for match in pattern.finditer(text)]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def same(one: str, other: str) -> bool:
    """Tell whether two texts differ in white space and case only."""
    return _SPACES.sub(" ", one).strip().casefold() == _SPACES.sub(" ", other).strip().casefold()
