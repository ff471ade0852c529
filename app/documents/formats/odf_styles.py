"""Styles of an OpenDocument file: how characters look, which pages are hidden, how lists count."""

import re
from dataclasses import dataclass, field
from typing import Any

from app.documents.formats.list_numbers import count_as
from app.documents.formats.look import PLAIN, Look
from app.documents.formats.markup import Element, attribute, name_of

STYLE_PARENTS = frozenset(("office:styles", "office:automatic-styles", "office:master-styles"))
_POINTS = re.compile(r"([\d.]+)\s*(pt|cm|mm|in)")
_POINTS_IN = {"pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0}
_PROPERTIES = frozenset(
    (
        "style:text-properties", "style:paragraph-properties", "style:graphic-properties",
        "style:table-cell-properties", "style:table-row-properties", "style:properties",
        "style:drawing-page-properties",
    )
)  # fmt: skip
_LONGEST_CHAIN = 16
_BULLET = "•"
_KINDS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True)
class Style:
    """What one style says itself.

    Attributes:
        level: Of headings that have it, 1 the outermost; 0 for others.
        is_hidden_page: Slides that have it are not shown.
    """

    parent: str = ""
    look: Look = PLAIN
    level: int = 0
    is_hidden_page: bool = False


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How one level of a list counts; an empty `kind` has no number."""

    kind: str = ""
    prefix: str = ""
    suffix: str = ""
    shown_levels: int = 1
    start: int = 1
    is_bullet: bool = False


@dataclass(slots=True)
class OdfStyles:
    """All styles of a file that have been met so far."""

    lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    outline: dict[int, ListLevel] = field(default_factory=dict)
    _styles: dict[tuple[str, str], Style] = field(default_factory=dict)
    _looks: dict[tuple[str, str], Look] = field(default_factory=dict)

    def take(self, element: Element) -> None:
        """Learn a style; what is none is nothing."""
        name = name_of(element)
        if name in ("style:style", "style:default-style"):
            key = attribute(element, "style:family"), attribute(element, "style:name")
            self._styles[key] = _style(element)
        elif name == "text:list-style":
            self.lists[attribute(element, "style:name")] = _levels(element)
        elif name == "text:outline-style":
            self.outline = _levels(element)

    def look(self, family: str, name: str) -> Look:
        """Return how what has this style looks; an unknown one looks like the default."""
        key = family, name
        if key not in self._looks:
            look = PLAIN
            for style in self._chain(family, name):
                look = look.over(style.look)
            self._looks[key] = look.over(self._styles.get((family, ""), Style()).look)
        return self._looks[key]

    def level(self, name: str) -> int:
        """Return the outline level of a paragraph style, 1 the outermost; 0 for body text."""
        return next((s.level for s in self._chain("paragraph", name) if s.level), 0)

    def is_hidden_page(self, name: str) -> bool:
        """Tell whether slides of this style are hidden."""
        return any(style.is_hidden_page for style in self._chain("drawing-page", name))

    def _chain(self, family: str, name: str) -> list[Style]:
        found: list[Style] = []
        while name and len(found) < _LONGEST_CHAIN:
            style = self._styles.get((family, name))
            if style is None:
                break
            found.append(style)
            name = style.parent
        return found


class ListCounter:
    """Counts the items of lists, or headings."""

    def __init__(self, levels: dict[int, ListLevel]) -> None:
        self._levels = levels
        self._counts: dict[int, int] = {}

    def mark(self, depth: int, start: int | None = None) -> str:
        """Count one item at `depth`, from 1, and return what stands before it; may be empty."""
        own = self._levels.get(depth)
        if own is None:
            return ""
        first = own.start if start is None else start
        is_going_on = depth in self._counts and start is None
        self._counts[depth] = self._counts[depth] + 1 if is_going_on else first
        for deeper in [level for level in self._counts if level > depth]:
            del self._counts[deeper]
        if own.is_bullet:
            return _BULLET
        if not own.kind:
            return ""
        shown = range(max(1, depth - own.shown_levels + 1), depth + 1)
        numbers = [
            self._number(level)
            for level in shown
            if level in self._levels and self._levels[level].kind
        ]
        return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()

    def _number(self, level: int) -> str:
        own = self._levels[level]
        return count_as(self._counts.get(level, own.start), _KINDS.get(own.kind, "decimal"))


def points(length: str) -> float | None:
    """Return a length such as `0.5cm` in points; None for what is none."""
    found = _POINTS.match(length.lstrip("-"))
    try:
        value = float(found[1]) * _POINTS_IN[found[2]] if found else None
    except ValueError:
        return None
    return -value if value is not None and length.startswith("-") else value


def _style(element: Element) -> Style:
    said: dict[str, Any] = {}
    is_hidden_page = False
    for properties in element:
        if name_of(properties) not in _PROPERTIES:
            continue
        _read_look(properties, said)
        is_hidden_page |= attribute(properties, "presentation:visibility") == "hidden"
    level = attribute(element, "style:default-outline-level")
    return Style(
        parent=attribute(element, "style:parent-style-name"),
        look=Look(**said) if said else PLAIN,
        level=int(level) if level.isdecimal() and len(level) == 1 else 0,
        is_hidden_page=is_hidden_page,
    )


def _read_look(properties: Element, said: dict[str, Any]) -> None:
    is_of_text = name_of(properties) in ("style:text-properties", "style:properties")
    background = attribute(properties, "fo:background-color")
    if background and background != "transparent":
        said["is_filled"] = background.lower() != "#ffffff"
    if attribute(properties, "draw:fill") in ("solid", "gradient", "bitmap", "hatch"):
        said["is_filled"] = attribute(properties, "draw:fill-color").lower() != "#ffffff"
    if not is_of_text:
        return
    if color := attribute(properties, "fo:color"):
        said["color"] = color.lstrip("#")
    if attribute(properties, "style:use-window-font-color") == "true":
        said["color"] = "auto"
    if display := attribute(properties, "text:display"):
        said["is_hidden"] = display == "none"
    if weight := attribute(properties, "fo:font-weight"):
        said["is_bold"] = weight in ("bold", "600", "700", "800", "900")
    size = points(attribute(properties, "fo:font-size"))
    if size is not None:
        said["half_points"] = int(size * 2)


def _levels(element: Element) -> dict[int, ListLevel]:
    found: dict[int, ListLevel] = {}
    for item in element:
        level = attribute(item, "text:level")
        if not level.isdecimal():
            continue
        shown, start = (attribute(item, f"text:{key}") for key in ("display-levels", "start-value"))
        found[int(level)] = ListLevel(
            kind=attribute(item, "style:num-format"),
            prefix=attribute(item, "style:num-prefix"),
            suffix=attribute(item, "style:num-suffix"),
            shown_levels=int(shown) if shown.isdecimal() else 1,
            start=int(start) if start.isdecimal() else 1,
            is_bullet=name_of(item).endswith("-bullet") or name_of(item).endswith("-image"),
        )
    return found
