"""Headings and paragraphs out of cleaned lines.

A heading is a line that the document's own contents name, that is larger or bolder than the body,
numbered, or in capitals where nothing is numbered. Everything else joins the paragraph before it
until a gap, a list mark or the short last line of a paragraph ends it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from app.documents.cleaning import CUT
from app.documents.document import Bookmark, Line
from app.documents.mail_text import HEADING_HEIGHT

_LARGER = 1.15
_HEADING_WORDS = 12
_NUMBERED_HEADING_WORDS = 9
_HEADING_CHARS = 90
_LEAST_LETTERS = 0.6
_SHORT_LINE = 0.7
_WIDTH_PERCENTILE = 0.8
_LONG_ENOUGH_TO_MATCH = 8
_TITLE_SLACK_CHARS = 14
_MANY_NUMBERED = 3
_MANY_CAPITALS = 3

NUMBERED = re.compile(
    r"(\d{1,2}(\.\d{1,2}){0,3}\.?|[IVX]{1,4}\.|[A-Z]\.|§ ?\d+"
    r"|(Chapter|Section|Part|Article|Kapitel|Abschnitt|Teil|Artikel|Appendix|Anhang|Exhibit)"
    r" [\dA-ZIVX]+[.:]?)\s+[\"“„]?[A-ZÄÖÜ]"
)
_CAPITALS = re.compile(r"[A-ZÄÖÜ][A-ZÄÖÜ ,&/’'()-]{5,}$")
_NO_HEADING = re.compile(r"https?:|www\.|@|[,;:]$|[a-zà-ÿ]\.$")
_REAL_WORD = re.compile(r"[^\W\d_]{3,}")
_RUN_IN = re.compile(r"(\d{1,2}\.\s+[A-ZÄÖÜ][A-ZÄÖÜ ,/&-]{3,}\.)\s+(\S.+)")
_LIST_MARK = re.compile(r"([•●▪■◦‣–—*+o-]|\(?(\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+")
_BULLET = re.compile(r"[^\w\s\"“„(\[§$€£]+\s+|[o]\s+(?=[A-ZÄÖÜ])")
_SENTENCE_END = re.compile(r"[.!?:;…][\"”’»)\]]*\d{0,2}$")
_PARAGRAPH_END = re.compile(r"[.!?:][\"”’)]?$")
_SENTENCES = re.compile(r"[.!?][\"”’)]*\s+[A-ZÄÖÜ]")
# "Stage IIB", "Option A": what such a bold label stands before is a row among others.
_ROW_LABEL = re.compile(r"[A-ZÄÖÜ][\w-]+ ([IVX]+[A-C]?|\d+|[A-Z])$")
# Words that also begin honest headings ("Index funds", "Notes on safety") must stand alone.
BACK_MATTER = re.compile(
    r"(\d+\.?\s+)?("
    r"(references|index|stichwortverzeichnis|contents|table of contents|inhaltsverzeichnis|notices|"
    r"trademarks|authors?|glossary|glossar|notes|citations|sources|footnotes|see also|impressum|"
    r"imprint|literatur|einzelnachweise|weblinks|external links|further reading|bildquellen|"
    r"(abbildungs|tabellen|symbol|abkürzungs|literatur|quellen)verzeichnis|colophon|uncopyright|"
    r"(picture|image|photo) (credits|sources)|list of (figures|tables|abbreviations|symbols))\W*$"
    r"|(lösungen (der|zu)|solutions (to|of)|answers to|references and|bibliography|"
    r"literaturverzeichnis|acknowledge?ments|danksagung|"
    r"about the auth|useful websites|how you can help|exercises|übungsaufgaben|question checklist|"
    r"photographs of|copyright|stay connected|comments welcome|other titles))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or a paragraph.

    Attributes:
        height: Of a heading, in points; 0 for paragraphs.
        heading: The nearest heading before a paragraph, on this page or an earlier one.
        is_back_matter: It belongs to a list of references, an index or the like.
        is_cut: What it begins with may be the second half of a sentence.
        is_row: It is a row of a list that the paragraph before it opens, or has a row's label.
    """

    text: str
    page: int
    is_heading: bool = False
    height: float = 0.0
    bold: bool = False
    heading: str = ""
    is_back_matter: bool = False
    is_cut: bool = False
    is_row: bool = False


def blocks_of(
    pages: Sequence[Sequence[Line]],
    bookmarks: Sequence[Bookmark],
    *,
    of_paragraphs: bool = False,
    slides: Set[int] = frozenset(),
) -> list[Block]:
    """Return the blocks of all pages in order.

    Args:
        pages: Their cleaned lines.
        bookmarks: The document's own contents.
        of_paragraphs: Every line is a whole paragraph.
        slides: Pages whose lines are points of a list, each for itself.
    """
    builder = _Builder(_Look.of(pages), _titles_by_page(bookmarks))
    for number, lines in enumerate(pages, 1):
        builder.add_page(number, lines, of_paragraphs=of_paragraphs or number in slides)
    return builder.blocks


def squeezed(title: str) -> str:
    """Return a title as letters and digits only, so that two ways to set it compare equal."""
    return re.sub(r"\W+", "", title.lower())


def names_title(line: str, title: str) -> bool:
    """Tell whether `line` is the heading that a bookmark calls `title`, or begins it."""
    wanted, found = squeezed(title), squeezed(line)
    if not wanted or not found:
        return False
    if wanted in found:
        return len(line) < len(title) + _TITLE_SLACK_CHARS
    return len(found) > _LONG_ENOUGH_TO_MATCH and wanted.startswith(found)


def _titles_by_page(bookmarks: Sequence[Bookmark]) -> dict[int, list[str]]:
    titles: dict[int, list[str]] = {}
    for mark in bookmarks:
        titles.setdefault(mark.page, []).append(mark.title)
    return titles


@dataclass(frozen=True, slots=True)
class _Look:
    """How the body of a document looks, so that headings stand out from it."""

    height: float
    bold: bool
    capitals_head: bool
    numbers_stand_out: bool

    @classmethod
    def of(cls, pages: Sequence[Sequence[Line]]) -> "_Look":
        lines = [line for page in pages for line in page if line.text]
        chars: Counter[tuple[float, bool]] = Counter()
        for line in lines:
            chars[line.height, line.bold] += len(line.text)
        (height, bold), _ = chars.most_common(1)[0] if chars else ((0.0, False), 0)
        short = [line for line in lines if len(line.text) < _HEADING_CHARS]
        numbered = [line for line in short if NUMBERED.match(line.text)]
        capitals = sum(_CAPITALS.match(line.text) is not None for line in short)
        plain = cls(height, bold, capitals_head=False, numbers_stand_out=False)
        return cls(
            height,
            bold,
            capitals_head=len(numbered) < _MANY_NUMBERED and capitals >= _MANY_CAPITALS,
            numbers_stand_out=sum(map(plain.stands_out, numbered)) >= _MANY_NUMBERED,
        )

    def stands_out(self, line: Line) -> bool:
        """Tell whether a line is larger than the body, or bold where the body is not."""
        is_larger = line.height >= _LARGER * self.height > 0
        return is_larger or (line.bold and not self.bold)

    def is_heading(self, line: Line) -> bool:
        text = line.text
        words = text.split()
        if not 1 <= len(words) <= _HEADING_WORDS or len(text) > _HEADING_CHARS:
            return False
        letters = sum(char.isalpha() for char in text)
        if _NO_HEADING.search(text) or letters < _LEAST_LETTERS * len(text.replace(" ", "")):
            return False
        if not _REAL_WORD.search(text):
            return False
        stands_out = self.stands_out(line)
        if stands_out and (text[0].isupper() or text[0].isdigit() or text[0] == "§"):
            return True
        if len(words) > _NUMBERED_HEADING_WORDS:
            return False
        # Where numbered headings are set in bold, a plain numbered line is an item of a list.
        may_be_plain = not self.numbers_stand_out or text.isupper()
        is_numbered = NUMBERED.match(text) is not None and may_be_plain
        return is_numbered or (self.capitals_head and _CAPITALS.match(text) is not None)


class _Builder:
    """Walks over the lines; what it holds is the paragraph under way."""

    def __init__(self, look: _Look, titles: Mapping[int, Sequence[str]]) -> None:
        self.blocks: list[Block] = []
        self._look = look
        self._titles = titles
        self._paragraph: list[str] = []
        self._page = 0
        self._heading = ""
        self._is_back_matter = False
        self._back_matter_height = 0.0
        self._may_be_cut = False
        self._is_in_list = False
        self._is_row = False

    def add_page(self, number: int, lines: Sequence[Line], *, of_paragraphs: bool) -> None:
        self._page = number
        lengths = sorted(len(line.text) for line in lines if line.text) or [1]
        width = lengths[int(_WIDTH_PERCENTILE * (len(lengths) - 1))]
        titles = self._titles.get(number, ())
        previous: Line | None = None
        for line in lines:
            is_listed = _BULLET.match(line.text) is not None
            is_named = not is_listed and any(names_title(line.text, title) for title in titles)
            continues = self._continues(previous, line)
            is_named |= line.height == HEADING_HEIGHT
            if line.text and (is_named or continues or self._look.is_heading(line)):
                self._flush()
                self._add_heading(line, continues=continues)
                previous = line
            else:
                self._add_text(line, width)
                previous = None
            if of_paragraphs:
                self._flush()
        self._flush()
        if self.blocks and not of_paragraphs:
            last = self.blocks[-1]
            self._may_be_cut = not (last.is_heading or _SENTENCE_END.search(last.text))

    def _continues(self, previous: Line | None, line: Line) -> bool:
        """Tell whether `line` goes on with the heading in the line before it."""
        if previous is None or not line.text or NUMBERED.match(line.text):
            return False
        looks_alike = (previous.height, previous.bold) == (line.height, line.bold)
        return looks_alike and self._look.stands_out(line)

    def _add_heading(self, line: Line, *, continues: bool) -> None:
        if continues and self.blocks and self.blocks[-1].is_heading:
            last = self.blocks[-1]
            if len(last.text.split()) + len(line.text.split()) <= _HEADING_WORDS:
                self._heading = f"{last.text} {line.text}"
                self.blocks[-1] = replace(last, text=self._heading)
                return
        self._heading = line.text
        self._may_be_cut = self._is_in_list = False
        if BACK_MATTER.match(line.text):
            self._is_back_matter, self._back_matter_height = True, line.height
        elif line.height >= self._back_matter_height:
            # Only a heading of the same rank ends a list of references.
            self._is_back_matter = False
        self.blocks.append(
            Block(line.text, self._page, is_heading=True, height=line.height, bold=line.bold)
        )

    def _add_text(self, line: Line, width: int) -> None:
        text = line.text
        if run_in := _RUN_IN.match(text):
            self._flush()
            self._add_heading(Line(run_in[1]), continues=False)
            text = run_in[2]
        elif line.lead_chars:
            text = self._without_lead(line)
        if not text or _LIST_MARK.match(text):
            self._flush()
            self._may_be_cut = line is CUT or (self._may_be_cut and not text)
        text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
        if text:
            self._paragraph.append(text)
        if self._paragraph and len(text) < _SHORT_LINE * width and _PARAGRAPH_END.search(text):
            self._flush()

    def _without_lead(self, line: Line) -> str:
        """Take a bold lead for a heading in the line, or set it off from what it labels."""
        lead = line.text[: line.lead_chars].strip()
        rest = line.text[line.lead_chars :].strip()
        is_inside = self._paragraph and not _PARAGRAPH_END.search(self._paragraph[-1])
        if is_inside or not rest[:1].isupper() or not _REAL_WORD.search(lead):
            return line.text
        self._flush()
        if lead.endswith("."):
            self._add_heading(Line(lead), continues=False)
            return rest
        self._is_row = _ROW_LABEL.match(lead) is not None
        mark = "" if lead[-1:] in ":–—−-" else ":"
        return f"{lead}{mark} {rest}"

    def _flush(self) -> None:
        if not self._paragraph:
            return
        text = re.sub(r"\s+", " ", " ".join(self._paragraph))
        opens_list = text.endswith(":")
        self._is_in_list &= _SENTENCES.search(text) is None or opens_list
        self.blocks.append(
            Block(
                text,
                self._page,
                heading=self._heading,
                is_back_matter=self._is_back_matter,
                is_cut=self._may_be_cut,
                is_row=self._is_row or self._is_in_list,
            )
        )
        self._paragraph = []
        self._is_in_list |= opens_list
        self._may_be_cut = self._is_row = False


def iter_headings(blocks: Sequence[Block]) -> Iterator[tuple[int, Block]]:
    """Yield the headings with their index among the blocks."""
    return ((index, block) for index, block in enumerate(blocks) if block.is_heading)
