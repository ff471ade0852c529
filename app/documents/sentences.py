"""Cuts paragraphs into sentences that know where they stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.blocks import Block

_BOUNDARY = re.compile(
    r"(?<=[.!?…])[\"”’»)\]]*(?P<note>(?<=[a-zà-ÿ][.!?])\d{1,2})?\s+(?=[\"“„‚«(\[]?(?P<next>\w))"
)
_ABBREVIATION = re.compile(
    r"(\b(e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|Corp|Nos?|Figs?|Sec|Eq|Vol|pp?|al|St|"
    r"approx|Nr|Abs|Art|bzw|vgl|ca|usw|ggf|sog|inkl|evtl|bzgl|bspw|Abb|Aufl|Hrsg|Mio|Mrd|z\.\s?B|"
    r"d\.\s?h|u\.\s?a|o\.\s?ä|i\.\s?d\.\s?R|gem|lt|Tel|Str|U\.S|a\.m|p\.m|Jan|Feb|Apr|Aug|Sept?|Oct|"
    r"Nov|Dec|Okt|Dez)|\b[A-ZÄÖÜ]|(^|\s)\(?\d{1,2}|(^|\s)[a-z])\.$"
)
_CLOSING = '"”’»)]'
_WITHOUT_SPACES = re.compile(r"(?<=[。！？])(?=[^\s。！？」』）])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a document.

    Attributes:
        page: 1-based.
        section: Title of the main section, or empty.
        heading: The nearest heading before it, or empty.
        is_first: It opens a paragraph.
        is_back_matter: It stands in a list of references, an index or the like.
        is_cut: Its beginning may be missing.
        is_row: It is a row of a list that another sentence opens, or of a table.
    """

    text: str
    page: int
    section: str
    heading: str
    is_first: bool
    is_back_matter: bool
    is_cut: bool = False
    is_row: bool = False


def sentences_of(blocks: Sequence[Block], sections: Sequence[str]) -> list[Sentence]:
    """Return the sentences of all paragraphs in order; `sections` has one title a block."""
    return [
        Sentence(
            text,
            block.page,
            section,
            block.heading,
            is_first=not place,
            is_back_matter=block.is_back_matter,
            is_cut=block.is_cut and not place,
            is_row=block.is_row,
        )
        for block, section in zip(blocks, sections, strict=True)
        if not block.is_heading
        for place, text in enumerate(split(block.text))
    ]


def split(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph without white space around them."""
    start = 0
    for found in _BOUNDARY.finditer(paragraph):
        end = found.start("note") if found["note"] else found.end()
        piece = paragraph[start:end].strip()
        if _ends_here(piece, found["next"]):
            yield from _cut_without_spaces(piece)
            start = found.end()
    rest = paragraph[start:].strip()
    if rest:
        yield from _cut_without_spaces(rest)


def _ends_here(piece: str, following: str) -> bool:
    if not (following.isupper() or following.isdigit() or not following.islower()):
        return False
    return bool(piece) and not _ABBREVIATION.search(piece.rstrip(_CLOSING))


def _cut_without_spaces(piece: str) -> Iterator[str]:
    """Cut text of scripts that write no space after a full stop."""
    yield from (part for part in _WITHOUT_SPACES.split(piece) if part)
