"""Text and Markdown as units of a few paragraphs each, since such files have no pages.

A form feed, which old text files do have, ends a unit as it would end a printed page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.documents.decoding import decode
from app.documents.document import Bookmark, Kind, Line, Page
from app.documents.formats.format import Bitmap, Context, Findings, Source
from app.documents.values import LeftOut, Unit

UNIT_CHARS = 3000
# Ten times War and Peace; read to its end, a text of any size would take any memory.
_MOST_BYTES = 32_000_000
_LONGEST_UNIT_CHARS = 2 * UNIT_CHARS
_LONGEST_LINE_CHARS = 2000
_LONGEST_HEADING_CHARS = 90
_BODY_HEIGHT = 10.0
_HEADING_HEIGHT = 16.0

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*$")
_UNDERLINE = re.compile(r"(={3,}|-{3,})\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(\([^()]*\)[^()\s]*)*( \"[^\"]*\")?\)")
# A mark that leads to a footnote of the same page.
_NOTE = re.compile(r"\\?\[{1,2}[^\[\]]{0,8}\]?\\?\]\(#[^)]*\)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_EMPHASIS = re.compile(r"(\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.,;:!?])[*_](?!\w)|`)")
_TABLE_RULE = re.compile(r"\s*\|?(\s*:?-{2,}:?\s*\|)+\s*(:?-{2,}:?)?\s*$")
_MARKDOWN_SIGNS = re.compile(
    r"^(#{1,6} \S|```|\s*[-*] \[[ x]\] )|\[[^\]\n]+\]\([^)\s]+\)|\*\*\w", re.M
)
_SIGNS_NEEDED = 2


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file in units."""

    kind: Kind
    units: tuple[tuple[Line, ...], ...]
    bookmarks: tuple[Bookmark, ...]
    findings: Findings
    unit: Unit = "section"
    title: str = ""

    def __len__(self) -> int:
        return len(self.units)

    def pages(self) -> Iterator[Page]:
        """Yield the units as pages."""
        for number, lines in enumerate(self.units, 1):
            has_text = any(line.text.strip() for line in lines)
            yield Page(number, lines, "text" if has_text else "without_text")

    def render(self, number: int, dpi: float) -> Bitmap | None:  # noqa: ARG002
        """Return None: text has no look of its own."""
        return None


def open(source: Source, context: Context) -> TextFile:  # noqa: A001, ARG001 - as all formats
    """Return the text in units; it has none where the file holds only white space."""
    findings = Findings()
    if source.size_bytes > _MOST_BYTES:
        limit = f"{_MOST_BYTES // 1_000_000} MB"
        findings.left_out.append(LeftOut("rest_left_out", detail=limit))
    text = (
        decode(source.stream.read(_MOST_BYTES))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .lstrip("\ufeff")
    )
    is_markdown = len(_MARKDOWN_SIGNS.findall(text)) >= _SIGNS_NEEDED
    lines, headings = _marked_lines(text) if is_markdown else (_plain_lines(text), {})
    units, first_of = _units(lines, frozenset(headings))
    bookmarks = tuple(
        Bookmark(level, lines[index].text, first_of[index])
        for index, level in headings.items()
        if lines[index].text
    )
    return TextFile("markdown" if is_markdown else "text", units, bookmarks, findings)


def _plain_lines(text: str) -> list[Line]:
    lines: list[Line] = []
    for block in re.split(r"(\f)", text):
        if block == "\f":
            lines.append(Line("\f"))
        else:
            lines += [
                Line(piece.rstrip(), _BODY_HEIGHT)
                for line in block.split("\n")
                for piece in _pieces(line)
            ]
    return lines


def _marked_lines(text: str) -> tuple[list[Line], dict[int, int]]:
    """Return the lines without marks, and the headings' levels by index of their line."""
    lines: list[Line] = []
    headings: dict[int, int] = {}
    in_code = False
    for raw in text.split("\n"):
        if _FENCE.match(raw):
            in_code = not in_code
            lines.append(Line("", _BODY_HEIGHT))
        elif in_code or _TABLE_RULE.match(raw):
            lines.append(Line(raw.rstrip() if in_code else "", _BODY_HEIGHT))
        elif heading := _heading_in(raw):
            headings[len(lines)] = len(heading[1]) - 1
            lines.append(_heading_line(heading[2], len(heading[1]) - 1))
        elif _UNDERLINE.match(raw) and lines and _may_be_heading(lines):
            level = 0 if raw.startswith("=") else 1
            headings[len(lines) - 1] = level
            lines[-1] = _heading_line(lines[-1].text, level)
        else:
            lines += [Line(piece.rstrip(), _BODY_HEIGHT) for piece in _pieces(_without_marks(raw))]
    return lines, headings


def _pieces(line: str) -> list[str]:
    """Cut a line that is a whole file at white space, so that no unit is one line of megabytes."""
    if len(line) <= _LONGEST_LINE_CHARS:
        return [line]
    return re.findall(
        rf".{{1,{_LONGEST_LINE_CHARS}}}(?:\s|$)|\S{{{_LONGEST_LINE_CHARS}}}", line
    ) or [""]


def _heading_in(raw: str) -> re.Match[str] | None:
    found = _HEADING.match(raw)
    return found if found and len(_without_marks(found[2])) <= _LONGEST_HEADING_CHARS else None


def _may_be_heading(lines: list[Line]) -> bool:
    """Tell whether the last line can be what a line of signs underlines: one line by itself."""
    stands_alone = len(lines) < 2 or not lines[-2].text  # noqa: PLR2004
    last = lines[-1]
    return stands_alone and 0 < len(last.text) <= _LONGEST_HEADING_CHARS and not last.bold


def _heading_line(text: str, level: int) -> Line:
    return Line(_without_marks(text).strip(), _HEADING_HEIGHT - level, bold=True)


def _without_marks(raw: str) -> str:
    text = _LINK.sub(r"\1", _NOTE.sub("", raw))
    return _ESCAPE.sub(r"\1", _EMPHASIS.sub("", text)).replace("\f", "")


def _units(
    lines: list[Line], headings: frozenset[int]
) -> tuple[tuple[tuple[Line, ...], ...], dict[int, int]]:
    """Cut at headings, blank lines and form feeds; return the units and each heading's unit."""
    units: list[list[Line]] = [[]]
    first_of: dict[int, int] = {}
    chars = 0
    for index, line in enumerate(lines):
        is_feed = line.text == "\f"
        is_gap = index in headings or not line.text
        if is_feed or (is_gap and chars > UNIT_CHARS) or chars > _LONGEST_UNIT_CHARS:
            units.append([])
            chars = 0
        if index in headings:
            first_of[index] = len(units)
        if not is_feed:
            units[-1].append(line)
            chars += len(line.text)
    if len(units) > 1 and not any(line.text for line in units[-1]):
        units.pop()
    if not any(line.text for unit in units for line in unit):
        return (), {}
    return tuple(tuple(unit) for unit in units), first_of
