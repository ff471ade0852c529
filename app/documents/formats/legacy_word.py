"""The text of Word files of 97-2003 (DOC), with headings and without what nobody sees.

The characters stand in pieces all over the file; how they look stands in pages of 512 bytes of its
own, by place in the file. Text that is hidden, deleted, white or tiny can only be told from there.
Word 6 and 95 kept their files in another way and are not read here.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from app.documents.formats.format import Damaged
from app.documents.formats.legacy_looks import Looks, Paragraphs, levels_of
from app.documents.formats.sections import Sections
from app.documents.values import HiddenKind

_WORD_97 = 0xA5EC
_OLDEST_VERSION = 0xC1
_SECOND_TABLE = 0x0200
_FLAGS_AT = 0x0A
_COUNTS_AT = 0x4C
_PAIRS_AT = 0x9A
_STYLES, _LOOKS, _PARAGRAPHS, _PIECES = 1, 12, 13, 33
_IS_WESTERN = 0x40000000
_PIECE_TABLE = 2
_MOST_PIECES = 200_000
_LONGEST_HEADING_CHARS = 300
_MOSTLY = 0.9
_FIELD_BEGINS, _FIELD_RESULT, _FIELD_ENDS = "\x13", "\x14", "\x15"
_CELL, _BREAKS = "\x07", "\r\x0c"
_CHARACTERS = {"\x0b": "\n", "\x1e": "-", "\t": " ", "\xa0": " "}


class _Run(NamedTuple):
    """Characters that look the same, from the byte `at` of the file on, each of `width` bytes."""

    text: str
    kind: HiddenKind | None
    is_bold: bool
    at: int
    width: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters `start` to `end` of the document, from the byte `at` of the file on."""

    start: int
    end: int
    at: int
    is_western: bool

    @property
    def width(self) -> int:
        return 1 if self.is_western else 2


def is_word_97(word: bytes) -> bool:
    """Tell whether the stream `WordDocument` is of Word 97 or later."""
    if len(word) < _PAIRS_AT:
        return False
    magic, version = struct.unpack_from("<HH", word)
    return bool(magic == _WORD_97 and version >= _OLDEST_VERSION)


def table_name(word: bytes) -> str:
    """Return the name of the stream that belongs to the stream `WordDocument`."""
    (flags,) = struct.unpack_from("<H", word, _FLAGS_AT)
    return "1Table" if flags & _SECOND_TABLE else "0Table"


def read_word(word: bytes, table: bytes, sections: Sections) -> None:
    """Read the document in the streams `word` and `table` into `sections`.

    Raises:
        Damaged: They contradict each other.
    """
    try:
        _Document(word, table).read(sections)
    except (struct.error, IndexError, ValueError) as error:
        raise Damaged from error


class _Document:
    def __init__(self, word: bytes, table: bytes) -> None:
        self._word = word
        counts = struct.unpack_from("<7i", word, _COUNTS_AT)
        text, notes, margins, _, comments, endnotes, boxes = (max(0, count) for count in counts)
        self._ends = [0]
        for count in (text, notes, margins, comments, endnotes, boxes):
            self._ends.append(self._ends[-1] + count)
        # Every character takes a byte: more of them would be the same ones again and again.
        if self._ends[-1] > len(word):
            raise Damaged
        self._pieces = _pieces(self._part(table, _PIECES))
        self._looks = Looks(word, self._part(table, _LOOKS))
        self._paragraphs = Paragraphs(word, self._part(table, _PARAGRAPHS))
        self._levels = levels_of(self._part(table, _STYLES))

    def read(self, sections: Sections) -> None:
        """Read all of it; notes come after the text."""
        text, notes, margins, comments, endnotes, boxes = zip(
            self._ends, self._ends[1:], strict=False
        )
        for start, end in (text, boxes, notes, endnotes):
            _Story(self, sections).read(start, end)
        remarks = [run.text for run in self.runs(*comments)]
        sections.hide("comment", " ".join("".join(remarks).replace("\x05", " ").split()))
        sections.begin_margins()
        _Story(self, sections).read(*margins)

    def runs(self, start: int, end: int) -> Iterator[_Run]:
        """Yield the characters from `start` to `end`."""
        for piece in self._pieces:
            first, last = max(start, piece.start), min(end, piece.end)
            if first >= last:
                continue
            at = piece.at + (first - piece.start) * piece.width
            stop = piece.at + (last - piece.start) * piece.width
            if stop > len(self._word):
                raise Damaged
            encoding = "cp1252" if piece.is_western else "utf-16-le"
            while at < stop:
                look, until = self._looks.at(at)
                until = min(until, stop)
                # A border in the middle of a character would be another one's mistake.
                until = max(until - (until - at) % piece.width, at + piece.width)
                text = self._word[at:until].decode(encoding, "replace")
                yield _Run(text, look.kind, look.is_bold, at, piece.width)
                at = until

    def paragraph(self, place: int) -> tuple[int | None, bool, bool, bool]:
        """Return heading level, whether in a table, ending a row, and in a list."""
        found = self._paragraphs.at(place)
        level = found.level if found.level is not None else self._levels.get(found.style)
        return level, found.is_in_table, found.ends_row, found.is_item

    def _part(self, table: bytes, number: int) -> bytes:
        at, size = struct.unpack_from("<II", self._word, _PAIRS_AT + 8 * number)
        if at + size > len(table):
            raise Damaged
        return table[at : at + size]


class _Story:
    """Makes paragraphs and rows out of runs."""

    def __init__(self, document: _Document, sections: Sections) -> None:
        self._document = document
        self._sections = sections
        self._parts: list[str] = []
        self._bold_chars = 0
        self._cells: list[str] = []
        self._is_in_table = False
        self._was_item = False
        self._fields: list[bool] = []

    def read(self, start: int, end: int) -> None:
        """Read the characters from `start` to `end` of the document."""
        for run in self._document.runs(start, end):
            if run.kind is not None:
                self._hidden(run)
                continue
            place = run.at
            for char in run.text:
                self._take(char, place, is_bold=run.is_bold)
                place += run.width * (2 if char > "\uffff" else 1)
        self._end_paragraph(None, is_item=False)
        self._end_table()

    def _hidden(self, run: _Run) -> None:
        seen = "".join(char for char in run.text if char >= " " or char in "\t\n\r")
        if run.kind is not None and all(self._fields):
            self._sections.hide(run.kind, seen)
        for char in run.text:
            self._field(char)

    def _field(self, char: str) -> bool:
        if char == _FIELD_BEGINS:
            self._fields.append(False)
        elif char == _FIELD_RESULT and self._fields:
            self._fields[-1] = True
        elif char == _FIELD_ENDS and self._fields:
            self._fields.pop()
        else:
            return False
        return True

    def _take(self, char: str, place: int, *, is_bold: bool) -> None:
        if self._field(char):
            return
        if char == _CELL or char in _BREAKS:
            self._mark(char, place)
        elif all(self._fields):
            shown = _CHARACTERS.get(char, char if char >= " " else "")
            self._parts.append(shown)
            self._bold_chars += is_bold

    def _mark(self, char: str, place: int) -> None:
        level, is_in_table, ends_row, is_item = self._document.paragraph(place)
        if self._fields and not self._fields[-1]:
            self._fields.pop()
        if char == _CELL:
            if not self._is_in_table:
                self._sections.gap()
            self._is_in_table = True
            if ends_row:
                self._sections.row(self._cells)
                self._cells = []
            else:
                self._cells.append(self._taken())
        elif is_in_table:
            self._parts.append(" ")
        else:
            self._end_table()
            self._end_paragraph(level, is_item=is_item)

    def _end_paragraph(self, level: int | None, *, is_item: bool) -> None:
        is_bold = self._bold_chars > _MOSTLY * len(self._parts) > 0
        text = self._taken()
        if level is not None and 0 < len(text) <= _LONGEST_HEADING_CHARS:
            self._sections.heading(" ".join(text.split()), level)
        elif text:
            close = is_item and self._was_item
            mark = "• " if is_item else ""
            self._sections.paragraph(f"{mark}{text}", bold=is_bold, stands_close=close)
            self._was_item = is_item

    def _end_table(self) -> None:
        if self._cells:
            self._sections.row(self._cells)
            self._cells = []
        if self._is_in_table:
            self._sections.end_table()
            self._sections.gap()
        self._is_in_table = False

    def _taken(self) -> str:
        text = "".join(self._parts).strip()
        self._parts, self._bold_chars = [], 0
        return text


def _pieces(data: bytes) -> list[_Piece]:
    """Return the table of pieces, which stands behind looks that only fast saves have."""
    at = 0
    while at < len(data) and data[at] != _PIECE_TABLE:
        (size,) = struct.unpack_from("<H", data, at + 1)
        at += 3 + size
    (size,) = struct.unpack_from("<I", data, at + 1)
    at += 5
    count = (size - 4) // 12
    if not 0 < count <= _MOST_PIECES:
        raise Damaged
    borders = struct.unpack_from(f"<{count + 1}I", data, at)
    found = []
    for index in range(count):
        (place,) = struct.unpack_from("<I", data, at + 4 * (count + 1) + 8 * index + 2)
        is_western = bool(place & _IS_WESTERN)
        place &= _IS_WESTERN - 1
        start, end = borders[index], borders[index + 1]
        if end > start:
            found.append(_Piece(start, end, place // 2 if is_western else place, is_western))
    return found
