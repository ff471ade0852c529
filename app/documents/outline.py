"""Finds the main sections of a document and says to which of them each block belongs.

The document's own bookmarks come first, at the outermost depth that has three; then its numbered
headings, at the least depth that spans three pages; then its largest headings.
"""

import re
from collections.abc import Callable, Sequence

from app.documents.blocks import Block, iter_headings, names_title
from app.documents.document import Bookmark

_LEAST_SECTIONS = 3
_LEAST_PAGES = 3
_SHORT_DOCUMENT_PAGES = 8
_NUMBER = re.compile(
    r"((Chapter|Section|Part|Kapitel|Teil|Abschnitt|Article|Artikel) )?(\d{1,2}(\.\d+)*)\.?\s+\D"
)


def sections_of(
    blocks: Sequence[Block], bookmarks: Sequence[Bookmark], page_count: int
) -> list[str]:
    """Return the title of each block's main section, empty before the first one."""
    marks = _main_bookmarks(bookmarks)
    starts = _starts_of_bookmarks(blocks, marks) if marks else _starts(blocks, page_count)
    sections: list[str] = []
    current = ""
    for index in range(len(blocks)):
        current = starts.get(index, current)
        sections.append(current)
    return sections


def _main_bookmarks(bookmarks: Sequence[Bookmark]) -> list[Bookmark]:
    for level in sorted({mark.level for mark in bookmarks}):
        marks = [mark for mark in bookmarks if mark.level <= level]
        if len(marks) >= _LEAST_SECTIONS:
            return marks
    return []


def _starts_of_bookmarks(blocks: Sequence[Block], marks: Sequence[Bookmark]) -> dict[int, str]:
    """Return the index of the block each bookmark leads to, with its title."""
    pages: dict[int, list[int]] = {}
    for index, block in enumerate(blocks):
        pages.setdefault(block.page, []).append(index)
    starts: dict[int, str] = {}
    for mark in marks:
        here = (
            pages.get(mark.page)
            or [index for index, block in enumerate(blocks) if block.page > mark.page][:1]
        )
        titled = (
            i for i in here if blocks[i].is_heading and names_title(blocks[i].text, mark.title)
        )
        start = next(titled, here[0] if here else None)
        if start is not None:
            starts[start] = mark.title
    return starts


def _starts(blocks: Sequence[Block], page_count: int) -> dict[int, str]:
    headings = list(iter_headings(blocks))
    numbered = [(i, b) for i, b in headings if _NUMBER.match(b.text)]
    if len({_number(block) for _, block in numbered}) >= _LEAST_SECTIONS:
        return _at_least_depth(numbered, lambda block: float(_number(block).count(".")))
    # The lines of a title page are larger than any heading, and no sections.
    inner = [(i, b) for i, b in headings if b.page > 1 or page_count < _SHORT_DOCUMENT_PAGES]
    return _at_least_depth(inner or headings, lambda block: -block.height)


def _number(block: Block) -> str:
    found = _NUMBER.match(block.text)
    return found[3] if found else ""


def _at_least_depth(
    headings: Sequence[tuple[int, Block]], depth: Callable[[Block], float]
) -> dict[int, str]:
    """Return the headings down to the first depth that spans enough pages."""
    kept: list[tuple[int, Block]] = []
    for limit in sorted({depth(block) for _, block in headings}):
        kept = [(i, b) for i, b in headings if depth(b) <= limit]
        if len({block.page for _, block in kept}) >= _LEAST_PAGES:
            break
    return {index: block.text for index, block in kept}
