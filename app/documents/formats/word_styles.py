"""Styles of a Word document: which paragraphs are headings, and how characters look.

A style says only what differs from the one it is based on; here each is resolved once.
"""

import re
from dataclasses import dataclass
from typing import Any

from app.documents.formats.look import PLAIN, Look
from app.documents.formats.markup import Element, attribute, name_of

# Word itself keeps the English name in every language; other programs write the name they show.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|"
    r"заголовок|nadpis|címsor|başlık|标题|標題|見出し|제목)[ _]*([1-9])",
    re.IGNORECASE,
)
_TITLE = "title"
_BODY_LEVEL = 9
_OFF = ("0", "false", "off", "none")
_LONGEST_CHAIN = 16
_NO_FILL = ("", "auto", "FFFFFF", "ffffff", "none", "white")


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph is by its style.

    Attributes:
        level: Of a heading, 0 the outermost; None for others.
        numbering: Id of its list and level in it; both None where not said.
    """

    level: int | None = None
    look: Look = PLAIN
    numbering: tuple[str | None, int | None] = (None, None)


def is_on(element: Element) -> bool:
    """Tell whether a switch such as `w:b` is on."""
    return attribute(element, "w:val") not in _OFF


def has_fill(shading: Element) -> bool:
    """Tell whether a `w:shd` paints something other than white."""
    return attribute(shading, "w:fill") not in _NO_FILL or attribute(shading, "w:val") == "solid"


def child(element: Element | None, name: str) -> Element | None:
    """Return the first child with this short name."""
    if element is None:
        return None
    return next((inner for inner in element if name_of(inner) == name), None)


def look_of(properties: Element | None) -> Look:
    """Return what a `w:rPr` says itself; its character style is not followed."""
    if properties is None:
        return PLAIN
    said: dict[str, Any] = {}
    for item in properties:
        name = name_of(item)
        if name == "w:vanish":
            said["is_hidden"] = is_on(item)
        elif name == "w:b":
            said["is_bold"] = is_on(item)
        elif name == "w:color":
            said["color"] = _color(item)
        elif name == "w:sz":
            said["half_points"] = number(attribute(item, "w:val"))
        elif name == "w:shd":
            said["is_filled"] = has_fill(item)
        elif name == "w:highlight":
            said["is_filled"] = attribute(item, "w:val") not in _NO_FILL
    return Look(**said) if said else PLAIN


def number(text: str) -> int | None:
    """Return a whole number of an attribute, or None."""
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return None


def _color(item: Element) -> str:
    color = attribute(item, "w:val")
    is_theme_white = attribute(item, "w:themeColor") in ("background1", "light1")
    return "FFFFFF" if is_theme_white and color in ("", "auto") else color


class Styles:
    """The styles of one document; unknown ids are the default style."""

    def __init__(self, tree: Element | None) -> None:
        self._raw: dict[tuple[str, str], Element] = {}
        self._paragraphs: dict[str, ParagraphStyle] = {}
        self._characters: dict[str, Look] = {}
        self._defaults = PLAIN
        self._default_id = ""
        for item in tree if tree is not None else ():
            if name_of(item) == "w:style":
                self._add(item)
            elif name_of(item) == "w:docDefaults":
                self._defaults = look_of(child(child(item, "w:rPrDefault"), "w:rPr"))

    @property
    def body_half_points(self) -> int:
        """The size of characters that nothing is said about."""
        return self.paragraph("").look.half_points or 20

    def paragraph(self, style_id: str) -> ParagraphStyle:
        """Return what the paragraph style `style_id` comes to; empty means the default."""
        if style_id not in self._paragraphs:
            self._paragraphs[style_id] = self._resolve_paragraph(style_id)
        return self._paragraphs[style_id]

    def character(self, style_id: str) -> Look:
        """Return what the character style `style_id` says."""
        if style_id not in self._characters:
            look = PLAIN
            for item in self._chain("character", style_id):
                look = look.over(look_of(child(item, "w:rPr")))
            self._characters[style_id] = look
        return self._characters[style_id]

    def fills_cells(self, style_id: str) -> bool:
        """Tell whether the table style paints any of its cells."""
        return any(
            name_of(inner) == "w:shd" and has_fill(inner)
            for item in self._chain("table", style_id)
            for inner in item.iter()
        )

    def _add(self, item: Element) -> None:
        kind = attribute(item, "w:type") or "paragraph"
        style_id = attribute(item, "w:styleId")
        self._raw[kind, style_id] = item
        if kind == "paragraph" and attribute(item, "w:default") not in ("", *_OFF):
            self._default_id = style_id

    def _chain(self, kind: str, style_id: str) -> list[Element]:
        """Return the style and those it is based on, nearest first; a circle ends somewhere."""
        found: list[Element] = []
        while len(found) < _LONGEST_CHAIN:
            item = self._raw.get((kind, style_id))
            if item is None:
                break
            found.append(item)
            based_on = child(item, "w:basedOn")
            style_id = attribute(based_on, "w:val") if based_on is not None else ""
        return found

    def _resolve_paragraph(self, style_id: str) -> ParagraphStyle:
        known = ("paragraph", style_id) in self._raw
        chain = self._chain("paragraph", style_id if known else self._default_id)
        look = PLAIN
        level: int | None = None
        list_id: str | None = None
        list_level: int | None = None
        for item in chain:
            properties = child(item, "w:pPr")
            shading = child(properties, "w:shd")
            fill = Look(is_filled=has_fill(shading)) if shading is not None else PLAIN
            look = look.over(look_of(child(item, "w:rPr")).over(fill))
            own = numbering_of(properties)
            list_id = list_id if list_id is not None else own[0]
            list_level = list_level if list_level is not None else own[1]
            if level is None:
                level = _level(item, properties)
        heading = level if level is not None and level < _BODY_LEVEL else None
        return ParagraphStyle(heading, look.over(self._defaults), (list_id, list_level))


def numbering_of(properties: Element | None) -> tuple[str | None, int | None]:
    """Return the list's id and the level that a `w:pPr` names."""
    item = child(properties, "w:numPr")
    if item is None:
        return None, None
    list_id, level = child(item, "w:numId"), child(item, "w:ilvl")
    return (
        attribute(list_id, "w:val") if list_id is not None else None,
        number(attribute(level, "w:val")) if level is not None else None,
    )


def outline_level(properties: Element | None) -> int | None:
    """Return the level that a `w:pPr` gives itself; 9 is body text."""
    item = child(properties, "w:outlineLvl")
    return number(attribute(item, "w:val")) if item is not None else None


def _level(style: Element, properties: Element | None) -> int | None:
    level = outline_level(properties)
    if level is not None:
        return level
    item = child(style, "w:name")
    named = level_named(attribute(item, "w:val") if item is not None else "")
    return named if named is not None else level_named(attribute(style, "w:styleId"))


def level_named(name: str) -> int | None:
    """Return the level of headings whose style has this name, 0 the outermost; else None."""
    found = _HEADING.fullmatch(name.strip())
    if found:
        return int(found[1]) - 1
    return 0 if name.strip().lower() == _TITLE else None
