"""PowerPoint presentations (PPTX): a page for each slide, in the order they are shown."""

from app.documents.document import Bookmark, Page
from app.documents.formats.beside import Beside
from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    TooMuch,
)
from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.office_properties import read_properties
from app.documents.formats.package import Package
from app.documents.formats.sections import PagesFile
from app.documents.formats.slide_pages import Shape, slide_page
from app.documents.formats.slides_shapes import (
    Box,
    SlideShapes,
    Surroundings,
    all_text,
    is_painted_over,
    places_of,
)
from app.documents.formats.word_styles import child

_OFF = ("0", "false")
_DARK = "dk1"

Relations = dict[str, tuple[str, str]]


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the presentation.

    Raises:
        FormatError: One of its subclasses.
    """
    package = Package(source, context.budget)
    try:
        return _Presentation(package).read()
    except RecursionError as error:
        raise TooMuch("depth") from error


class _Presentation:
    """One presentation while it is read."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._findings = Findings()
        self._main = package.root_part("officeDocument", "ppt/presentation.xml")
        self._beside = Beside(self._findings)
        self._shapes = SlideShapes(package, self._beside)
        self._layouts: dict[str, tuple[dict[str, Box], bool]] = {}
        self._size = (0.0, 0.0)

    def read(self) -> DocumentFile:
        """Return all of it."""
        tree = self._package.tree(self._main)
        if tree is None:
            raise Damaged
        relations = self._package.relations(self._main)
        size = child(tree, "p:sldSz")
        if size is not None:
            self._size = _size(size)
        order = child(tree, "p:sldIdLst")
        names = [
            relations.get(attribute(item, "r:id"), ("", ""))[1]
            for item in (order if order is not None else ())
        ]
        pages = tuple(
            self._ended(self._slide(name, number))
            for number, name in enumerate(filter(None, names), 1)
        )
        self._beside.finish()
        title = read_properties(self._package, self._findings)
        marks = tuple(Bookmark(0, page.label, page.number) for page in pages if page.label)
        return PagesFile("pptx", "slide", title, marks, self._findings, pages)

    def _ended(self, page: Page) -> Page:
        self._beside.end_page(page.number)
        return page

    def _slide(self, name: str, number: int) -> Page:
        try:
            tree = self._package.tree(name)
        except Damaged:
            tree = None
        if tree is None:
            return Page(number, (), "unreadable")
        if attribute(tree, "show") in _OFF:
            self._beside.hide("hidden_slide", all_text(tree))
            return Page(number, (), "blank")
        relations = self._package.relations(name)
        shapes = self._shapes_of(tree, relations)
        notes: list[Shape] = []
        for kind, target in relations.values():
            if kind == "notesSlide" and target:
                notes += self._notes(target)
            elif kind == "comments" and target:
                self._comments(target)
        return slide_page(number, shapes, notes)

    def _shapes_of(self, tree: Element, relations: Relations) -> list[Shape]:
        layout = next((to for kind, to in relations.values() if kind == "slideLayout"), "")
        places, is_white = self._layout(layout)
        around = Surroundings(places, is_white and not is_painted_over(tree), self._size)
        shapes = child(child(tree, "p:cSld"), "p:spTree")
        return self._shapes.read(shapes, relations, around) if shapes is not None else []

    def _notes(self, name: str) -> list[Shape]:
        tree = self._package.tree(name)
        shapes = child(child(tree, "p:cSld"), "p:spTree")
        if shapes is None:
            return []
        around = Surroundings({}, is_white=True, size=(0.0, 0.0))
        return self._shapes.read(shapes, self._package.relations(name), around)

    def _comments(self, name: str) -> None:
        tree = self._package.tree(name)
        for item in tree if tree is not None else ():
            texts = [inner_text(i) for i in item.iter() if name_of(i) in ("p:text", "a:t")]
            self._beside.hide("comment", " ".join(texts))

    def _layout(self, name: str) -> tuple[dict[str, Box], bool]:
        """Return where a layout puts things, and whether its ground is white and empty."""
        if name not in self._layouts:
            self._layouts[name] = self._read_layout(name) if name else ({}, False)
        return self._layouts[name]

    def _read_layout(self, name: str) -> tuple[dict[str, Box], bool]:
        layout = self._package.tree(name)
        relations = self._package.relations(name).values()
        master_name = next((to for kind, to in relations if kind == "slideMaster"), "")
        master = self._package.tree(master_name) if master_name else None
        colors = child(master, "p:clrMap")
        is_dark = colors is not None and attribute(colors, "bg1") == _DARK
        is_white = not is_dark and self._has_white_theme(master_name)
        is_empty = not is_painted_over(layout) and not is_painted_over(master)
        return places_of(layout, places_of(master, {})), is_white and is_empty

    def _has_white_theme(self, master: str) -> bool:
        relations = self._package.relations(master).values() if master else ()
        name = next((to for kind, to in relations if kind == "theme"), "")
        theme = self._package.tree(name) if name else None
        for item in theme.iter() if theme is not None else ():
            if name_of(item) == "a:lt1":
                color = child(item, "a:srgbClr")
                return color is None or attribute(color, "val").upper() == "FFFFFF"
        return True


def _size(item: Element) -> tuple[float, float]:
    try:
        return float(attribute(item, "cx")), float(attribute(item, "cy"))
    except ValueError:
        return 0.0, 0.0
