"""XML as office files hold it, read so that nothing in it reaches outside or swells.

Entities are not resolved, DTDs not loaded, and libxml2 keeps its own limits of 256 levels and 10 MB
of text in one place. Elements are known by short names such as `w:p`, which are the same whichever
of the two namespaces a producer wrote.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import IO, Any

from lxml import etree

from app.documents.formats.format import Damaged

# lxml has no annotations.
Element = Any

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "dtd_validation": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
    # Told not to collect them, libxml2 goes and loads the DTD.
    "collect_ids": True,
}
# Namespaces by how their addresses begin and end; those of OOXML have a strict and a usual form.
_OOXML = ("http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/")
_OOXML_ENDS = {
    "wordprocessingml/main": "w",
    "drawingml/main": "a",
    "drawingml/chart": "c",
    "drawingml/diagram": "dgm",
    "drawingml/picture": "pic",
    "drawingml/wordprocessingDrawing": "wp",
    "presentationml/main": "p",
    "spreadsheetml/main": "s",
    "officeDocument/math": "m",
    "officeDocument/relationships": "r",
    "markup-compatibility/2006": "mc",
}
_OTHERS = {
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup": "wpg",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas": "wpc",
    "http://schemas.microsoft.com/office/drawing/2008/diagram": "dsp",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/1998/Math/MathML": "math",
    "http://www.w3.org/1999/XSL/Format": "fo",
    "http://www.w3.org/2000/svg": "svg",
}
# A DTD that lies elsewhere: libxml2 stops at it where it may not be loaded.
_OUTER_DTD = re.compile(rb"<!DOCTYPE[^>\[\]]{1,500}>")
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
# Before it was a standard.
_OLD_ODF = "http://openoffice.org/2000/"
_ODF_PREFIXES = {"xsl-fo-compatible": "fo", "svg-compatible": "svg", "drawing": "draw"}


def parse(data: bytes) -> Element:
    """Return the root of the XML in `data`.

    Raises:
        Damaged: It is no XML, or deeper than 256 levels.
    """
    try:
        return etree.fromstring(_OUTER_DTD.sub(b"", data, 1), etree.XMLParser(**_OPTIONS))
    except (etree.LxmlError, ValueError) as error:
        raise Damaged from error


def stream(file: IO[bytes], parents: frozenset[str]) -> Iterator[Element]:
    """Yield what lies directly below elements called `parents`; each is gone with the next.

    Raises:
        Damaged: It is no XML, or deeper than 256 levels.
    """
    try:
        for _, element in etree.iterparse(file, events=("end",), **_OPTIONS):
            parent = element.getparent()
            if parent is not None and isinstance(parent.tag, str) and short(parent.tag) in parents:
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del parent[0]
    except etree.LxmlError as error:
        raise Damaged from error


@lru_cache(maxsize=4096)
def short(tag: str) -> str:
    """Return the short name of a tag or attribute as lxml spells it, such as `w:p`.

    A name of no known namespace comes with a `?` before it.
    """
    address, _, name = tag.rpartition("}")
    return f"{_prefix(address.lstrip('{'))}:{name}" if address else name


def name_of(element: Element) -> str:
    """Return the short name of `element`; empty for what is no element, such as an entity."""
    tag = element.tag
    return short(tag) if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """Return the attribute whose short name is `name`, or empty."""
    for key, value in element.attrib.items():
        if short(key) == name:
            return str(value)
    return ""


def inner_text(element: Element) -> str:
    """Return all text inside `element`, entities left out."""
    found = [element.text or ""]
    for node in element.iterdescendants():
        if isinstance(node.tag, str):
            found.append(node.text or "")
        found.append(node.tail or "")
    return "".join(found)


def _prefix(address: str) -> str:
    if address in _OTHERS:
        return _OTHERS[address]
    for start in _OOXML:
        if address.startswith(start):
            rest = address.removeprefix(start).replace("/2006/", "/")
            return _OOXML_ENDS.get(rest, "?")
    if address.startswith(_ODF):
        kind = address.removeprefix(_ODF).partition(":")[0]
        return _ODF_PREFIXES.get(kind, kind)
    if address.startswith(_OLD_ODF):
        kind = address.removeprefix(_OLD_ODF)
        return _ODF_PREFIXES.get(kind, kind)
    return "?"
