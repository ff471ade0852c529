"""Finds a sentence in a page as it was printed.

A summary or an answer quotes a sentence with its lines joined, its hyphens and ligatures undone. So
both sides are folded to the characters that survive that, and the places of what was folded are
kept.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.document import Line

Box = tuple[float, float, float, float]

_PIECE_CHARS = 24
_LEAST_PIECES = 0.4
_MOST_SPANS = 200
# What TeX writes for ligatures without a map; pdfium hands these on.
_TEX_LIGATURES = {
    "\x0b": "ff",
    "\x1b": "ff",
    "\x1c": "fi",
    "\x1d": "fl",
    "\x1e": "ffi",
    "\x1f": "ffl",
}
_DROPPED = frozenset(
    "-\u2010\u2011\u2012\u2013\u2014\u00ad\ufffe\u200b\"'`\u2018\u2019\u201c\u201d\u201e|"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text folded for comparing.

    Attributes:
        places: For each of its characters, where it came from.
    """

    text: str
    places: tuple[int, ...]

    def spans(self, wanted: str) -> list[tuple[int, int]]:
        """Return where `wanted` stands in the text that was folded, as first and last place.

        Where it does not stand as a whole, because a header or a number of a note lies between, the
        parts of it that do are returned, if they are enough to be it.
        """
        needle = fold(wanted).text
        if not needle:
            return []
        whole = list(_occurrences(self.text, needle))
        return [self._span(start, start + len(needle)) for start in whole] or self._parts(needle)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self.places[start], self.places[end - 1]

    def _parts(self, needle: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        starts = range(0, len(needle) - _PIECE_CHARS + 1, _PIECE_CHARS)
        hits = 0
        after = 0
        for at in starts:
            # The last piece takes the rest with it.
            end = len(needle) if at + 2 * _PIECE_CHARS > len(needle) else at + _PIECE_CHARS
            place = self.text.find(needle[at:end], after)
            if place < 0 and end > at + _PIECE_CHARS:
                end = at + _PIECE_CHARS
                place = self.text.find(needle[at:end], after)
            if place < 0:
                continue
            hits += 1
            if found and place == after:
                found[-1] = (found[-1][0], self.places[place + end - at - 1])
            else:
                found.append(self._span(place, place + end - at))
            after = place + end - at
        return found if hits and hits >= _LEAST_PIECES * len(starts) else []


def fold(text: str) -> Folded:
    """Return `text` without spaces, hyphens and quotes, in lower case, its ligatures undone."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for part in _folded(char):
            chars.append(part)
            places.append(place)
    return Folded("".join(chars), tuple(places))


def mark_lines(lines: Sequence[Line], marks: Sequence[str]) -> tuple[Box, ...]:
    """Return the boxes of what `marks` says in lines that were recognized in an image.

    They are shares of the page; a line of which a part is marked gives that part of its box.
    """
    starts: list[int] = []
    joined = ""
    for line in lines:
        starts.append(len(joined))
        joined += line.text + "\n"
    folded = fold(joined)
    boxes: list[Box] = []
    for mark in marks:
        for first, last in folded.spans(mark):
            for line, start in zip(lines, starts, strict=True):
                end = start + len(line.text)
                if line.box and first < end and last >= start:
                    boxes.append(_part_of(line, max(first - start, 0), min(last + 1, end) - start))
    return tuple(boxes)


def _part_of(line: Line, first: int, end: int) -> Box:
    left, top, right, bottom = line.box
    if bottom - top > right - left:  # written downwards
        step = (bottom - top) / len(line.text)
        return left, top + first * step, right, top + end * step
    step = (right - left) / len(line.text)
    return left + first * step, top, left + end * step, bottom


def _folded(char: str) -> str:
    if char in _DROPPED or (char.isspace() and char not in _TEX_LIGATURES):
        return ""
    if char in _TEX_LIGATURES:
        return _TEX_LIGATURES[char]
    if char.isascii():
        return char.lower() if char.isprintable() else ""
    plain = unicodedata.normalize("NFKC", char).casefold()
    return "".join(part for part in plain if not part.isspace())


def _occurrences(text: str, needle: str) -> list[int]:
    found: list[int] = []
    at = text.find(needle)
    while at >= 0 and len(found) < _MOST_SPANS:
        found.append(at)
        at = text.find(needle, at + len(needle))
    return found
