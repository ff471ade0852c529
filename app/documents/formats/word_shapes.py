"""Whether something is painted behind text in a Word document, so that white text can be seen."""

from app.documents.formats.look import is_pale
from app.documents.formats.markup import Element, attribute, name_of

_PROPERTIES = frozenset(("wps:spPr", "wpg:grpSpPr", "pic:spPr"))
_FILLS = frozenset(("a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill"))
_PICTURES = frozenset(("pic:pic", "v:imagedata", "v:background"))
_OUTSIDE = frozenset(("w:body", "w:hdr", "w:ftr", "w:footnotes", "w:endnotes"))
_WHITE_NAMES = ("white", "window", "none")
_WHITE_SCHEME = ("bg1", "lt1")


class Ground:
    """Looks once at each paragraph or table, however often it is asked about it."""

    def __init__(self) -> None:
        self._last: Element = None
        self._is_painted = False

    def is_painted(self, element: Element) -> bool:
        """Tell whether a picture or a shape with a color of its own is anywhere inside."""
        if element is not self._last:
            self._last = element
            self._is_painted = any(_paints(item, name_of(item)) for item in element.iter())
        return self._is_painted


def surroundings(box: Element) -> Element:
    """Return what a box is a part of, as far out as goes below the body."""
    while (parent := box.getparent()) is not None and name_of(parent) not in _OUTSIDE:
        box = parent
    return box


def _paints(item: Element, name: str) -> bool:
    if name in _PICTURES:
        return True
    if name in _PROPERTIES:
        return any(_is_colored(fill, name_of(fill)) for fill in item)
    if name.startswith("v:"):
        color = attribute(item, "fillcolor")
        shown = attribute(item, "filled") not in ("f", "false")
        return shown and bool(color) and not _is_white(color)
    return False


def _is_colored(fill: Element, name: str) -> bool:
    if name in _FILLS:
        return True
    if name != "a:solidFill" or not len(fill):
        return False
    color = attribute(fill[0], "val")
    is_white = is_pale(color) or (color in _WHITE_SCHEME and not len(fill[0]))
    return not is_white


def _is_white(color: str) -> bool:
    """Tell whether a color as VML spells it, such as `#fff` or `white [3212]`, is white."""
    color = color.partition(" ")[0].lower()
    return color in (*_WHITE_NAMES, "#fff") or is_pale(color)
