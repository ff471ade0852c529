"""Takes out of the pages what is not running text, before anything can find it salient.

Running heads, page numbers, contents pages, rows of tables and formulas, blanks to fill in. Every
line that goes leaves a gap, except a running head: the halves of a sentence round a dropped line
would otherwise be joined to one that nobody wrote.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from app.documents.document import Line, Page

# Stands where a line was dropped: what follows may be the second half of a sentence.
CUT = Line("", height=-1.0)
_EDGE_LINES = 3
_LINES_PER_EDGE_LINE = 4
_SENTENCE_WORDS = 4
_REPEATED_PAGES = 3
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"(page|seite|p\.)?\s*[-–]?\s*[\divxlc]{1,5}\s*[-–]?(\s*(of|/|von)\s*\d+)?", re.I
)
_END_NUMBER = re.compile(r"^(\d{1,4})\s+\D|\D\s(\d{1,4})$")
_LABEL_WORDS = 14
_LEADERS = re.compile(r"(\.\s?){5,}|(_\s?){6,}|(…\s?){2,}")
_CONTENTS_END = re.compile(r"(\.\s?){4,}|\s\d{1,4}$")
_CONTENTS_LINES = 8
_SENTENCE_END = re.compile(r"[.!?][\"”’)]?$")
_WORD = re.compile(r"[\"“„‘(\[]?[^\W\d_]{2,}")
_SHORT_WORDS = frozenset(("a", "i", "o"))
_ROW_WORDS = 3
_MOST_NON_WORDS = 0.6
_NUMBERED = re.compile(
    r"(\d{1,2}(\.\d{1,2}){0,3}\.?|[IVX]{1,4}\.|[A-Z]\.|§ ?\d+)\s+[\"“]?[^\W\d_]{2}"
)
# What an encyclopedia puts under a heading: where to read more.
_HATNOTE = re.compile(
    r"^(Main articles?|See also|Further information|Hauptartikel|Siehe auch|For other uses)\b"
    r".*?[:,] \S",
    re.IGNORECASE,
)
# "Vor- und Nachteile": the hyphen stands for a word that is still to come.
_AFTER_OPEN_COMPOUND = frozenset(("und", "oder", "bzw.", "and", "or", "to"))
_DIVIDED = re.compile(r"[^\W\d_](\ufffe|-)$")


def clean(pages: Sequence[Page]) -> tuple[list[list[Line]], Counter[str]]:
    """Return the running text of each page, and how many lines went for which reason."""
    gone: Counter[str] = Counter()
    heads = running_heads(pages)
    offset = _label_offset(pages)
    vocabulary = Counter(
        word for page in pages for line in page.lines for word in _words(line.text)
    )
    cleaned = [_join_divided(_kept_lines(page, heads, offset, gone), vocabulary) for page in pages]
    return cleaned, gone


def running_heads(pages: Sequence[Page]) -> frozenset[str]:
    """Return the shapes of lines that stand at the edge of several pages."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({shape(page.lines[index].text) for index in edges(page.lines)})
    if len(pages) <= _REPEATED_PAGES:
        return frozenset()
    return frozenset(shape for shape, count in seen.items() if count >= _REPEATED_PAGES and shape)


def _label_offset(pages: Sequence[Page]) -> int | None:
    """Return what to add to a page's place to get the number printed on it, where one is."""
    offsets: Counter[int] = Counter()
    for page in pages:
        here = {int(n) for i in edges(page.lines) for n in _end_numbers(page.lines[i].text)}
        offsets.update(number - page.number for number in here)
    if not offsets:
        return None
    offset, count = offsets.most_common(1)[0]
    return offset if count >= _REPEATED_PAGES else None


def _end_numbers(text: str) -> list[str]:
    return [found[1] or found[2] for found in _END_NUMBER.finditer(text.strip())]


def _has_label(text: str, number: int) -> bool:
    """Tell whether a line carries the printed page number, as a head with a title does."""
    is_short = len(text.split()) <= _LABEL_WORDS and not _SENTENCE_END.search(text)
    return is_short and str(number) in _end_numbers(text)


def edges(lines: Sequence[Line]) -> frozenset[int]:
    """Return the indexes of the lines at the head and at the foot of a page."""
    filled = [index for index, line in enumerate(lines) if line.text.strip()]
    # A page of a few lines has no room for heads of three.
    count = min(_EDGE_LINES, max(1, len(filled) // _LINES_PER_EDGE_LINE))
    return frozenset(filled[:count] + filled[-count:])


def shape(text: str) -> str:
    """Return what repeats in a running head: all but its numbers; a sentence repeats as it is."""
    text = text.lower().strip()
    is_sentence = len(text.split()) >= _SENTENCE_WORDS and _SENTENCE_END.search(text)
    return text if is_sentence else _NUMBERS.sub("#", text)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _kept_lines(
    page: Page, heads: frozenset[str], offset: int | None, gone: Counter[str]
) -> list[Line]:
    at_edge = edges(page.lines)
    is_contents = _is_contents_page(page.lines)
    kept: list[Line] = []
    for index, line in enumerate(page.lines):
        text = line.text.strip()
        has_label = offset is not None and _has_label(text, page.number + offset)
        is_head = shape(text) in heads or _PAGE_NUMBER.fullmatch(text) or has_label
        if text and index in at_edge and is_head:
            gone["running_head"] += 1
            continue
        if _HATNOTE.match(text) and not _SENTENCE_END.search(text):
            gone["hatnote"] += 1
            kept.append(Line(""))
            continue
        reason = _why_not_text(text, is_contents=is_contents)
        if reason:
            gone[reason] += 1
        kept.append(CUT if reason else replace(line, text=text))
    return kept


def _is_contents_page(lines: Sequence[Line]) -> bool:
    filled = [line.text.strip() for line in lines if line.text.strip()]
    ends = sum(_CONTENTS_END.search(text) is not None for text in filled)
    return len(filled) > _CONTENTS_LINES and ends > len(filled) / 2


def _why_not_text(text: str, *, is_contents: bool) -> str | None:
    if _LEADERS.search(text):
        return "blank_or_leader"
    if is_contents and not _SENTENCE_END.search(text):
        return "contents_page"
    tokens = text.split()
    strange = sum(not _WORD.match(token) and token.lower() not in _SHORT_WORDS for token in tokens)
    is_row = len(tokens) >= _ROW_WORDS and strange > _MOST_NON_WORDS * len(tokens)
    return "table_or_formula" if is_row and not _NUMBERED.match(text) else None


def _join_divided(lines: list[Line], vocabulary: Counter[str]) -> list[Line]:
    """Join words that were divided at the end of a line."""
    joined: list[Line] = []
    for line in lines:
        first, _, rest = line.text.partition(" ")
        before = joined[-1].text if joined else ""
        if _DIVIDED.search(before) and first[:1].islower() and first not in _AFTER_OPEN_COMPOUND:
            whole = before[:-1] + _joint(before[:-1], first, vocabulary) + first
            joined[-1] = replace(joined[-1], text=whole)
            if rest:
                joined.append(replace(line, text=rest))
        else:
            joined.append(line)
    return [replace(line, text=_join_inside(line.text, vocabulary)) for line in joined]


def _join_inside(text: str, vocabulary: Counter[str]) -> str:
    def join(found: re.Match[str]) -> str:
        return found[1] + _joint(found[1], found[2], vocabulary) + found[2]

    return re.sub(r"(\w+)\ufffe(\w+)", join, text).replace("\ufffe", "-")


def _joint(start: str, end: str, vocabulary: Counter[str]) -> str:
    """Return what belongs between the halves: nothing, or the hyphen of a compound."""
    first = re.search(r"\w+$", start)
    second = re.match(r"\w+", end)
    if not first or not second or vocabulary[(first[0] + second[0]).lower()]:
        return ""
    are_words = vocabulary[first[0].lower()] > 1 and vocabulary[second[0].lower()] > 1
    return "-" if are_words else ""
