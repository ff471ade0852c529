"""OpenDocument texts and presentations (ODT, ODP), packed or flat, and their forerunner SXW.

The body is read one block at a time. A DTD that a file names is never looked for.
"""

from collections.abc import Iterator

from app.documents.document import Bookmark, Page
from app.documents.formats.beside import Beside
from app.documents.formats.format import (
    Budget,
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    TooMuch,
    Unsupported,
)
from app.documents.formats.markup import Element, attribute, inner_text, name_of, stream
from app.documents.formats.odf_blocks import OdfBlocks
from app.documents.formats.odf_styles import STYLE_PARENTS, OdfStyles, points
from app.documents.formats.odf_text import SHAPES, annotation_text
from app.documents.formats.package import LARGEST_PART_BYTES, Package
from app.documents.formats.sections import PagesFile, Sections
from app.documents.formats.slide_pages import Shape, ShapeText, slide_page

_BODIES = frozenset(("office:text", "office:presentation", "office:drawing", "office:meta"))
_PARENTS = STYLE_PARENTS | _BODIES
_HEADERS = frozenset(
    (
        "style:header", "style:footer", "style:header-left", "style:footer-left",
        "style:header-first", "style:footer-first",
    )
)  # fmt: skip
_METADATA = frozenset(("dc:subject", "dc:description", "meta:keyword", "meta:keywords"))
# Of a text that does not say, as programs have it.
_BODY_HEIGHT = 12.0
_ENCRYPTED = "protected by a password, and Snug cannot open such OpenDocument files yet"


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the document.

    Raises:
        FormatError: One of its subclasses.
    """
    try:
        return _Document(source, context.budget).read()
    except RecursionError as error:
        raise TooMuch("depth") from error


class _Document:
    """One document while it is read."""

    def __init__(self, source: Source, budget: Budget) -> None:
        self._source = source
        self._package = _package(source, budget)
        self._budget = budget
        self._styles = OdfStyles()
        self._margins: list[Element] = []
        self._findings = Findings()
        self._title = ""
        self._slides: list[Page] = []
        self._beside = Beside(self._findings)
        self._is_slides = False
        self._sections = Sections(self._findings)
        self._text = OdfBlocks(self._styles, self._package, self._sections)

    def read(self) -> DocumentFile:
        """Return all of it."""
        for element in self._elements():
            parent = name_of(element.getparent())
            if parent == "office:meta":
                self._meta(element)
            elif parent == "office:master-styles":
                self._margins += [i for i in element if name_of(i) in _HEADERS]
            elif parent in STYLE_PARENTS:
                self._styles.take(element)
            elif name_of(element) == "draw:page":
                self._is_slides = True
                self._slides.append(self._slide(element))
            else:
                size = self._styles.look("paragraph", "Standard").half_points
                self._sections.body_height = size / 2 if size else _BODY_HEIGHT
                self._text.block(element)
        return self._slides_file() if self._is_slides else self._text_file()

    def _elements(self) -> Iterator[Element]:
        if self._package is None:
            if self._source.size_bytes > LARGEST_PART_BYTES:
                raise TooMuch("size when unpacked")
            self._budget.take_bytes(self._source.size_bytes)
            yield from stream(self._source.stream, _PARENTS)
            return
        for name in ("meta.xml", "styles.xml"):
            if self._package.has(name):
                yield from self._kept(name)
        yield from self._package.elements("content.xml", _PARENTS)

    def _kept(self, name: str) -> Iterator[Element]:
        """Yield what is in a small part; unlike in the body, it stays when the next is asked."""
        tree = self._package.tree(name) if self._package is not None else None
        for item in tree.iter() if tree is not None else ():
            parent = item.getparent()
            if parent is not None and name_of(parent) in _PARENTS:
                yield item

    def _meta(self, element: Element) -> None:
        name = name_of(element)
        if name == "dc:title":
            self._title = inner_text(element).strip()
        elif name in _METADATA:
            self._findings.hide("metadata", 0, inner_text(element))

    def _text_file(self) -> DocumentFile:
        self._sections.begin_margins()
        for margin in self._margins:
            if attribute(margin, "style:display") != "false":
                self._text.read(margin)
        return self._sections.finish("odt", self._title)

    def _slides_file(self) -> DocumentFile:
        self._beside.finish()
        marks = tuple(Bookmark(0, page.label, page.number) for page in self._slides if page.label)
        pages = tuple(self._slides)
        return PagesFile("odp", "slide", self._title, marks, self._findings, pages)

    def _slide(self, element: Element) -> Page:
        number = len(self._slides) + 1
        if self._styles.is_hidden_page(attribute(element, "draw:style-name")):
            self._beside.hide("hidden_slide", inner_text(element))
            self._beside.end_page(number)
            return Page(number, (), "blank")
        shapes: list[Shape] = []
        notes: list[Shape] = []
        for item in element:
            name = name_of(item)
            if name == "presentation:notes":
                notes += [self._shape(i) for i in item if _is_note(i)]
            elif name == "office:annotation":
                self._beside.hide("comment", annotation_text(item))
            else:
                shapes += self._shapes(item)
        self._beside.end_page(number)
        return slide_page(number, shapes, notes)

    def _shapes(self, item: Element) -> Iterator[Shape]:
        if name_of(item) in ("draw:g", "draw:a"):
            for inner in item:
                yield from self._shapes(inner)
        elif name_of(item) in SHAPES and attribute(item, "presentation:placeholder") != "true":
            yield self._shape(item)

    def _shape(self, item: Element) -> Shape:
        sink = ShapeText(self._beside)
        OdfBlocks(self._styles, self._package, sink).block(item)
        left, top, height = (
            points(attribute(item, key)) or 0.0 for key in ("svg:x", "svg:y", "svg:height")
        )
        is_title = attribute(item, "presentation:class") == "title"
        return Shape(top, left, height, tuple(sink.lines), is_title)


def _is_note(item: Element) -> bool:
    return attribute(item, "presentation:class") == "notes" and (
        attribute(item, "presentation:placeholder") != "true"
    )


def _package(source: Source, budget: Budget) -> Package | None:
    """Return the package, or None for a flat file, which is one XML text."""
    start = source.stream.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n")
    source.stream.seek(0)
    if start.startswith(b"<"):
        return None
    package = Package(source, budget)
    if b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise Unsupported(_ENCRYPTED)
    if not package.has("content.xml"):
        raise Damaged
    return package
