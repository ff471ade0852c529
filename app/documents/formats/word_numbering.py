"""The numbers and marks before the items of a Word document's lists and headings.

They are not in the text: Word counts while it lays the pages out, and so does this.
"""

from dataclasses import dataclass, field

from app.documents.formats.list_numbers import count_as
from app.documents.formats.markup import Element, attribute, name_of
from app.documents.formats.word_styles import child, number

_LEVELS = 9
_BULLET = "•"
_LONGEST_MARK = 40


@dataclass(slots=True)
class _Level:
    start: int = 1
    kind: str = "decimal"
    text: str = ""
    style: str = ""
    is_legal: bool = False


@dataclass(slots=True)
class _List:
    """What one `w:num` is: the levels it has, and the counters it may share with others."""

    levels: dict[int, _Level]
    counters: list[int | None]
    restarts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the items of all lists of one document."""

    def __init__(self, tree: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        abstract: dict[str, tuple[dict[int, _Level], list[int | None]]] = {}
        for item in tree if tree is not None else ():
            if name_of(item) == "w:abstractNum":
                levels = {_index(inner): _level(inner) for inner in _inner(item, "w:lvl")}
                abstract[attribute(item, "w:abstractNumId")] = levels, [None] * _LEVELS
            elif name_of(item) == "w:num":
                target = child(item, "w:abstractNumId")
                key = attribute(target, "w:val") if target is not None else ""
                levels, counters = abstract.get(key, ({}, [None] * _LEVELS))
                self._lists[attribute(item, "w:numId")] = _overridden(item, levels, counters)

    def mark(self, list_id: str, level: int | None, style_id: str) -> str:
        """Count one item and return what stands before it, such as `2.1`; may be empty."""
        entry = self._lists.get(list_id)
        if entry is None or not entry.levels:
            return ""
        if level is None:
            level = next((n for n, own in entry.levels.items() if own.style == style_id), 0)
        level = min(max(level, 0), _LEVELS - 1)
        own = entry.levels.get(level, _Level(kind="none"))
        if level in entry.restarts:
            entry.counters[level] = entry.restarts.pop(level)
        else:
            count = entry.counters[level]
            entry.counters[level] = own.start if count is None else count + 1
        entry.counters[level + 1 :] = [None] * (_LEVELS - 1 - level)
        if own.kind == "bullet":
            return _BULLET
        return "" if own.kind == "none" and "%" not in own.text else _written(entry, own)


def _written(entry: _List, own: _Level) -> str:
    text = own.text
    for index in range(_LEVELS):
        place = f"%{index + 1}"
        if place in text:
            level = entry.levels.get(index, _Level())
            count = entry.counters[index]
            kind = "decimal" if own.is_legal else level.kind
            text = text.replace(place, count_as(level.start if count is None else count, kind))
    return text.strip()[:_LONGEST_MARK]


def _inner(item: Element, name: str) -> list[Element]:
    return [inner for inner in item if name_of(inner) == name]


def _index(item: Element) -> int:
    return number(attribute(item, "w:ilvl")) or 0


def _level(item: Element) -> _Level:
    values = {name_of(inner): attribute(inner, "w:val") for inner in item}
    start = number(values.get("w:start", ""))
    return _Level(
        start=1 if start is None else start,
        kind=values.get("w:numFmt", "decimal"),
        text=values.get("w:lvlText", ""),
        style=values.get("w:pStyle", ""),
        is_legal="w:isLgl" in values,
    )


def _overridden(item: Element, levels: dict[int, _Level], counters: list[int | None]) -> _List:
    restarts: dict[int, int] = {}
    for change in _inner(item, "w:lvlOverride"):
        own = child(change, "w:lvl")
        if own is not None:
            levels = {**levels, _index(change): _level(own)}
        start = child(change, "w:startOverride")
        value = number(attribute(start, "w:val")) if start is not None else None
        if value is not None:
            restarts[_index(change)] = value
    return _List(levels, counters, restarts)
