"""How characters and paragraphs of a Word file of 97-2003 look, by their place in the file."""

import struct
from bisect import bisect_right
from dataclasses import dataclass

from app.documents.formats.look import Look
from app.documents.values import HiddenKind

_PAGE_BYTES = 512
_PAGE_MASK = 0x3FFFFF
_PARAGRAPH_ENTRY_BYTES = 13
# Operands by the three bits of a property that tell their size; 0 stands for a byte of length.
_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
_TABLE_DEFINITION = 0xD608
_DELETED, _HIDDEN, _BOLD = 0x0800, 0x083C, 0x0835
_COLOR, _COLOR_NUMBER, _HALF_POINTS = 0x6870, 0x2A42, 0x4A43
_BACKGROUNDS = frozenset((0x2A0C, 0xCA71, 0x4866))
_WHITE_NUMBER = 8
_AUTOMATIC = 0xFF000000
_IN_TABLE, _ENDS_ROW, _OUTLINE, _LIST = 0x2416, 0x2417, 0x2640, 0x460B
_BODY_LEVEL = 9
_HEADING_STYLES = range(1, 10)
_TITLE_STYLE = 62
_NO_STYLE = 0xFFF
_LONGEST_CHAIN = 16
_END = 1 << 40


@dataclass(frozen=True, slots=True)
class RunLook:
    """Why characters are hidden, or None, and whether they are bold."""

    kind: HiddenKind | None = None
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class ParagraphLook:
    """What a paragraph is.

    Attributes:
        style: Number of its style.
        level: Outline level it gives itself, 0 the outermost; None where it says none.
    """

    style: int = 0
    level: int | None = None
    is_in_table: bool = False
    ends_row: bool = False
    is_item: bool = False


class Looks:
    """Looks of characters."""

    def __init__(self, word: bytes, index: bytes) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._found: list[RunLook] = []
        for page in _pages(word, index):
            count = page[-1]
            borders = struct.unpack_from(f"<{count + 1}I", page)
            for number in range(count):
                offset = page[4 * (count + 1) + number] * 2
                properties = page[offset + 1 : offset + 1 + page[offset]] if offset else b""
                self._starts.append(borders[number])
                self._ends.append(borders[number + 1])
                self._found.append(_run_look(properties))

    def at(self, place: int) -> tuple[RunLook, int]:
        """Return the look of the character at the byte `place`, and where it ends."""
        index = bisect_right(self._starts, place) - 1
        if index >= 0 and place < self._ends[index]:
            return self._found[index], self._ends[index]
        following = self._starts[index + 1] if index + 1 < len(self._starts) else _END
        return RunLook(), following


class Paragraphs:
    """Looks of paragraphs."""

    def __init__(self, word: bytes, index: bytes) -> None:
        self._starts: list[int] = []
        self._found: list[ParagraphLook] = []
        for page in _pages(word, index):
            count = page[-1]
            borders = struct.unpack_from(f"<{count + 1}I", page)
            for number in range(count):
                at = page[4 * (count + 1) + _PARAGRAPH_ENTRY_BYTES * number] * 2
                self._starts.append(borders[number])
                self._found.append(_paragraph_look(page, at) if at else ParagraphLook())

    def at(self, place: int) -> ParagraphLook:
        """Return the look of the paragraph that the byte `place` is in."""
        index = bisect_right(self._starts, place) - 1
        return self._found[index] if index >= 0 else ParagraphLook()


def levels_of(data: bytes) -> dict[int, int]:
    """Return the levels of the styles of headings, by number of the style."""
    levels: dict[int, int] = {}
    bases: dict[int, int] = {}
    if len(data) < 4:  # noqa: PLR2004 - two lengths
        return levels
    size, count = struct.unpack_from("<HH", data)
    at = 2 + size
    for number in range(count):
        if at + 2 > len(data):
            break
        (length,) = struct.unpack_from("<H", data, at)
        if length >= 4:  # noqa: PLR2004 - the two words that are looked at
            known, base = struct.unpack_from("<HH", data, at + 2)
            known, bases[number] = known & 0xFFF, base >> 4
            if known in _HEADING_STYLES:
                levels[number] = known - 1
            elif known == _TITLE_STYLE:
                levels[number] = 0
        at += 2 + length + length % 2
    return {
        number: level for number in bases if (level := _level(number, levels, bases)) is not None
    }


def _level(number: int, levels: dict[int, int], bases: dict[int, int]) -> int | None:
    """Return the level of a style or of the nearest one it is based on."""
    for _ in range(_LONGEST_CHAIN):
        if number in levels or number == _NO_STYLE:
            break
        number = bases.get(number, _NO_STYLE)
    return levels.get(number)


def _pages(word: bytes, index: bytes) -> list[bytes]:
    """Return the pages of looks that an index names, in the order of the file's places."""
    count = (len(index) - 4) // 8
    found = []
    seen: set[int] = set()
    for number in range(max(0, count)):
        (page,) = struct.unpack_from("<I", index, 4 * (count + 1) + 4 * number)
        at = (page & _PAGE_MASK) * _PAGE_BYTES
        data = word[at : at + _PAGE_BYTES]
        if len(data) == _PAGE_BYTES and at not in seen:
            found.append(data)
            seen.add(at)
    return found


def _properties(data: bytes) -> list[tuple[int, bytes]]:
    """Return the properties in `data` with their operands."""
    found: list[tuple[int, bytes]] = []
    at = 0
    while at + 2 <= len(data):
        (code,) = struct.unpack_from("<H", data, at)
        at += 2
        size = _SIZES[code >> 13]
        if code == _TABLE_DEFINITION and at + 2 <= len(data):
            size = struct.unpack_from("<H", data, at)[0] + 1
        elif not size and at < len(data):
            size = data[at] + 1
        if not size:
            break
        found.append((code, data[at : at + size]))
        at += size
    return found


def _run_look(data: bytes) -> RunLook:
    is_deleted = is_hidden = is_bold = is_filled = False
    color, half_points = "auto", None
    for code, operand in _properties(data):
        value = int.from_bytes(operand, "little")
        if code == _DELETED:
            is_deleted = value == 1
        elif code == _HIDDEN:
            is_hidden = value in (1, 0x81)
        elif code == _BOLD:
            is_bold = value in (1, 0x81)
        elif code == _COLOR:
            rgb = operand[:3]
            color = "auto" if value >= _AUTOMATIC else rgb.hex()
        elif code == _COLOR_NUMBER:
            color = "FFFFFF" if value == _WHITE_NUMBER else "auto"
        elif code == _HALF_POINTS:
            half_points = value
        elif code in _BACKGROUNDS:
            is_filled = value not in (0, _WHITE_NUMBER)
    if is_deleted:
        return RunLook("deleted_text", is_bold)
    look = Look(is_hidden, color, half_points, is_bold, is_filled)
    return RunLook(look.hidden_kind(is_filled=is_filled), is_bold)


def _paragraph_look(page: bytes, at: int) -> ParagraphLook:
    size = 2 * page[at] - 1
    start = at + 1
    if page[at] == 0:
        size, start = 2 * page[at + 1], at + 2
    data = page[start : start + max(0, size)]
    if len(data) < 2:  # noqa: PLR2004 - the number of the style
        return ParagraphLook()
    (style,) = struct.unpack_from("<H", data)
    values = {code: int.from_bytes(own, "little") for code, own in _properties(data[2:])}
    level = values.get(_OUTLINE)
    return ParagraphLook(
        style=style,
        level=level if level is not None and level < _BODY_LEVEL else None,
        is_in_table=bool(values.get(_IN_TABLE)),
        ends_row=bool(values.get(_ENDS_ROW)),
        is_item=bool(values.get(_LIST)),
    )
