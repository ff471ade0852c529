"""Cuts a document into chunks to search: one place each, whole sentences, 900 characters at most.

Nothing is thrown away here as it is for summaries: the answer to a question may stand in a table, a
caption or a footnote.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.cleaning import edges, running_heads, shape
from app.documents.document import Line, Page, ReadDocument
from app.documents.sentences import split
from app.documents.values import Place

MOST_CHARS = 900
# A shorter piece under a heading of its own says little alone.
_FEWEST_CHARS = 300
_HYPHEN = "\ufffe"
_HEADING_RATIO = 1.12
_LONGEST_HEADING_CHARS = 120
_ENDS = re.compile(r"[.!?:;。！？…][\"”’»)\]」』）]*$")
_WORD = re.compile(r"\w")
# What begins an item of a list, which is no part of the item before.
_ITEM = re.compile(r"(?:[•▪◦●■–—*-]|\(?[a-z0-9]{1,2}[.)])\s+\S")
_DIVIDED = re.compile(r"(\w+)[\ufffe-]$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document.

    Attributes:
        text: In the document's own words; `sentences` joined.
        sentences: Rows of tables count as sentences.
        heading: The nearest heading before it, or empty; context for its meaning, not shown in it.
    """

    place: Place
    text: str
    sentences: tuple[str, ...]
    heading: str


@dataclass(slots=True)
class _Sentence:
    text: str
    page: int
    heading: str
    cells: str
    ends_paragraph: bool


def chunks_of(document: ReadDocument, most_chars: int = MOST_CHARS) -> Iterator[Chunk]:
    """Yield the chunks of `document` in order.

    A sentence that runs over the end of a page belongs to the page that it begins on.
    """
    waiting: list[_Sentence] = []
    chars = 0
    for sentence in _sentences(document.pages):
        first = waiting[0] if waiting else None
        is_other = first is not None and (
            first.page != sentence.page
            or (first.heading != sentence.heading and chars > _FEWEST_CHARS)
        )
        if waiting and (is_other or chars + len(sentence.text) > most_chars):
            yield _chunk(document, waiting)
            waiting, chars = [], 0
        waiting.append(sentence)
        chars += len(sentence.text) + 1
    if waiting:
        yield _chunk(document, waiting)


def _chunk(document: ReadDocument, sentences: Sequence[_Sentence]) -> Chunk:
    first, last = sentences[0].cells, sentences[-1].cells
    cells = f"{first.partition(':')[0]}:{last.rpartition(':')[2]}" if first and last else ""
    texts = tuple(sentence.text for sentence in sentences)
    text = "".join(each.text + ("\n" if each.ends_paragraph else " ") for each in sentences).strip()
    return Chunk(
        document.place_of(sentences[0].page, cells),
        text,
        texts,
        sentences[0].heading,
    )


def _sentences(pages: Sequence[Page]) -> Iterator[_Sentence]:
    """Yield the sentences of all pages; a rest without an end takes what the next page begins with.

    One sentence is held back, because what follows may belong to it.
    """
    held: _Sentence | None = None
    body_height = _body_height(pages)
    heads = running_heads(pages)
    heading = ""
    for page in pages:
        for kind, text, cells in _blocks(_without(heads, page.lines), body_height):
            if kind == "heading":
                heading = text
                continue
            for index, sentence in enumerate([text] if kind == "row" else split(text)):
                if held is not None and index == 0 and _goes_on(held, sentence, kind, page):
                    held.text = f"{held.text} {sentence}"
                    continue
                if held is not None:
                    yield held
                held = _Sentence(sentence, page.number, heading, cells, kind == "row")
    if held is not None:
        yield held


def _goes_on(held: _Sentence, text: str, kind: str, page: Page) -> bool:
    is_next_page = held.page == page.number - 1
    begins_inside = text[:1].islower()
    is_open = not held.ends_paragraph and not _ENDS.search(held.text)
    return kind == "text" and is_next_page and begins_inside and is_open


def _without(heads: frozenset[str], lines: Sequence[Line]) -> list[Line]:
    """Return a page's lines without what stands at the edge of several pages.

    A sheet's page repeats the names of its columns, which belong to it.
    """
    at_edge = edges(lines)
    return [
        line
        for index, line in enumerate(lines)
        if line.cells or index not in at_edge or shape(line.text) not in heads
    ]


def _blocks(lines: Sequence[Line], body_height: float) -> Iterator[tuple[str, str, str]]:
    """Yield kind, text and cells of a page's headings, rows and running text."""
    running: list[str] = []
    for line in lines:
        text = line.text.strip()
        is_row = bool(line.cells) or " | " in text
        is_heading = _is_heading(line, body_height)
        is_item = _ITEM.match(text) is not None
        if running and (not text or is_row or is_heading or is_item):
            yield "text", _joined(running), ""
            running = []
        if is_heading:
            yield "heading", text.replace(_HYPHEN, "-"), ""
            if _WORD.search(text):
                yield "row", text.replace(_HYPHEN, "-"), ""
        elif is_row:
            yield "row", text, line.cells
        elif text:
            running.append(text)
    if running:
        yield "text", _joined(running), ""


def _is_heading(line: Line, body_height: float) -> bool:
    text = line.text.strip()
    if not text or len(text) > _LONGEST_HEADING_CHARS or line.cells:
        return False
    is_large = body_height > 0 and line.height >= _HEADING_RATIO * body_height
    return (is_large or line.bold) and not text.endswith((".", ",", ";"))


def _body_height(pages: Sequence[Page]) -> float:
    """Return the height that most of the text has."""
    chars: dict[float, int] = {}
    for page in pages:
        for line in page.lines:
            chars[line.height] = chars.get(line.height, 0) + len(line.text)
    return max(chars, key=lambda height: chars[height], default=0.0)


def _joined(lines: Sequence[str]) -> str:
    """Return lines as one text; a word that was divided at the end of a line is put together."""
    text = ""
    for line in lines:
        divided = _DIVIDED.search(text)
        if divided and line[:1].islower():
            text = text[:-1] + line
        elif text:
            text = f"{text} {line}"
        else:
            text = line
    return re.sub(rf"{_HYPHEN}\s?", "-", text)
