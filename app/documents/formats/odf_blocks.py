"""Paragraphs, lists, tables and shapes of an OpenDocument text, in the order they are read."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.odf_styles import ListCounter, OdfStyles
from app.documents.formats.odf_text import SHAPES, OdfSaid, annotation_text, read_paragraph
from app.documents.formats.package import Package
from app.documents.values import HiddenKind

EMBEDDED = "embedded_left_out"
PICTURES = "pictures_left_out"
_WRAPPERS = frozenset(
    (
        "text:section", "text:index-body", "text:index-title", "text:table-of-content",
        "text:illustration-index", "text:table-index", "text:object-index", "text:user-index",
        "text:alphabetical-index", "text:bibliography", "text:numbered-paragraph",
        "draw:text-box", "draw:a", "draw:g", "draw:frame", "office:text", "draw:page",
        "office:chart", "chart:chart", "chart:title", "chart:subtitle", "office:formula",
        "style:header", "style:footer", "style:header-left", "style:footer-left",
        "style:header-first", "style:footer-first", "text:note-body", "text:footnote-body",
        "text:endnote-body", "text:footnote", "text:endnote", "table:table-cell",
        "table:sub-table", "chart:plot-area", "chart:axis", "style:region-left",
        "style:region-center", "style:region-right",
    )
)  # fmt: skip
_ROW_GROUPS = frozenset(
    ("table:table-header-rows", "table:table-rows", "table:table-row-group", "table:sub-table")
)
_LONGEST_HEADING_CHARS = 300
# A row with more in it is a way to lay out a page, and read cell by cell.
_LONGEST_ROW_CHARS = 1500
_READ_OBJECTS = frozenset(("office:chart", "math:math"))
_HIDDEN_DISPLAYS = ("none", "condition")


class Sink(Protocol):
    """Where what is read goes: sections of a text, or a slide."""

    def heading(self, text: str, level: int) -> None:
        """Add a heading; level 0 is the outermost."""
        ...

    def paragraph(
        self, text: str, *, bold: bool = False, height: float = 0.0, stands_close: bool = False
    ) -> None:
        """Add a paragraph."""
        ...

    def row(self, cells: Sequence[str]) -> None:
        """Add a row of a table."""
        ...

    def end_table(self) -> None:
        """Count a table."""
        ...

    def gap(self) -> None:
        """Part what comes next from what there is."""
        ...

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Note text that nobody sees."""
        ...

    def leave_out(self, code: str, name: str = "") -> None:
        """Count something that is not read."""
        ...


class OdfBlocks:
    """Reads blocks of one file into a sink."""

    def __init__(self, styles: OdfStyles, package: Package | None, sink: Sink) -> None:
        self.sink = sink
        self._styles = styles
        self._package = package
        self._headings: ListCounter | None = None
        self._counters: dict[str, ListCounter] = {}
        self._is_filled = False
        self._handlers: dict[str, Callable[[Element], None]] = {
            "text:p": self._paragraph,
            "text:h": self._heading,
            "text:list": self._list,
            "text:ordered-list": self._list,
            "text:unordered-list": self._list,
            "text:tracked-changes": self._deletions,
            "table:table": self._table,
            "draw:frame": self._frame,
            "office:annotation": self._comment,
            "math:math": self._formula,
        }

    def read(self, elements: Iterable[Element]) -> None:
        """Read each of `elements`."""
        for element in elements:
            self.block(element)

    def block(self, element: Element) -> None:
        """Read one block, whatever it is."""
        name = name_of(element)
        handler = self._handlers.get(name)
        if handler is not None:
            handler(element)
        elif attribute(element, "text:display") in _HIDDEN_DISPLAYS:
            self.sink.hide("invisible_text", inner_text(element))
        elif name in _WRAPPERS:
            self.read(element)
        elif name in SHAPES:
            with self._on_style(element):
                self.read(element)

    def _comment(self, element: Element) -> None:
        self.sink.hide("comment", annotation_text(element))

    def _formula(self, element: Element) -> None:
        self.sink.paragraph(_formula(element))

    def _paragraph(self, element: Element, mark: str = "", *, close: bool = False) -> None:
        said = self._said(element)
        text = f"{mark} {said.text.strip()}" if mark else said.text
        level = self._styles.level(attribute(element, "text:style-name"))
        if said.text.strip() and level and len(text) <= _LONGEST_HEADING_CHARS:
            self.sink.heading(" ".join(text.split()), level - 1)
        elif said.text.strip():
            height = said.half_points / 2
            self.sink.paragraph(text, bold=said.is_bold, height=height, stands_close=close)
        self._after(said)

    def _heading(self, element: Element) -> None:
        said = self._said(element)
        level = attribute(element, "text:outline-level") or attribute(element, "text:level")
        depth = int(level) if level.isdecimal() else 1
        if self._headings is None:
            self._headings = ListCounter(self._styles.outline)
        is_counted = said.text.strip() and attribute(element, "text:is-list-header") != "true"
        mark = self._headings.mark(depth) if is_counted else ""
        text = " ".join(f"{mark} {said.text}".split())
        if len(text) <= _LONGEST_HEADING_CHARS:
            self.sink.heading(text, depth - 1)
        else:
            self.sink.paragraph(text)
        self._after(said)

    def _said(self, element: Element) -> OdfSaid:
        said = read_paragraph(element, self._styles, is_filled=self._is_filled)
        for kind, texts in said.hidden.items():
            self.sink.hide(kind, "".join(texts))
        return said

    def _after(self, said: OdfSaid) -> None:
        for shape in said.shapes:
            self.block(shape)
        for note in said.notes:
            self.read(note)

    def _list(self, element: Element, depth: int = 1, style: str = "") -> None:
        style = attribute(element, "text:style-name") or style
        goes_on = depth > 1 or attribute(element, "text:continue-numbering") == "true"
        goes_on |= bool(attribute(element, "text:continue-list"))
        if style not in self._counters or not goes_on:
            self._counters[style] = ListCounter(self._styles.lists.get(style, {}))
        counter = self._counters[style]
        if depth == 1:
            self.sink.gap()
        for item in element:
            start = attribute(item, "text:start-value")
            first = int(start) if start.isdecimal() else None
            is_open = name_of(item) == "text:list-item"
            for inner in item:
                name = name_of(inner)
                if name in ("text:list", "text:ordered-list", "text:unordered-list"):
                    self._list(inner, depth + 1, style)
                elif name == "text:p":
                    mark = counter.mark(depth, first) if is_open and _has_text(inner) else ""
                    self._paragraph(inner, mark, close=True)
                    is_open &= not _has_text(inner)
                else:
                    self.block(inner)

    def _table(self, table: Element) -> None:
        self.sink.gap()
        is_grid = False
        for row in _rows(table):
            is_grid |= self._row(row)
        if is_grid:
            self.sink.end_table()
        self.sink.gap()

    def _row(self, row: Element) -> bool:
        """Read one row; tell whether it has several cells that stand in one line."""
        if attribute(row, "table:visibility") in ("collapse", "filter"):
            self.sink.hide("hidden_cells", inner_text(row))
            return False
        cells = [i for i in row if name_of(i) in ("table:table-cell", "table:covered-table-cell")]
        if _lays_out(row):
            for cell in cells:
                with self._on_style(cell):
                    self.read(cell)
            return False
        texts: list[str] = []
        later: list[OdfSaid] = []
        for cell in cells:
            with self._on_style(cell):
                texts.append(self._cell(cell, later))
        self.sink.row(texts)
        for said in later:
            self._after(said)
        return len(cells) > 1

    def _cell(self, cell: Element, later: list[OdfSaid]) -> str:
        texts: list[str] = []
        for item in cell.iterdescendants():
            if name_of(item) in ("text:p", "text:h") and not _is_beside(item, cell):
                said = self._said(item)
                texts.append(said.text)
                later.append(said)
            elif name_of(item) in SHAPES and item.getparent() is cell:
                later.append(OdfSaid(shapes=[item]))
        return " ".join(text for text in texts if text.strip())

    def _frame(self, frame: Element) -> None:
        """Read the first thing in a frame that says something; the rest is a picture of it."""
        names = {name_of(item): item for item in reversed(frame)}
        if (box := names.get("draw:text-box")) is not None:
            with self._on_style(frame):
                self.read(box)
        elif (table := names.get("table:table")) is not None:
            self._table(table)
        elif (embedded := names.get("draw:object")) is not None:
            self._object(embedded)
        elif "draw:object-ole" in names or "draw:plugin" in names:
            self.sink.leave_out(EMBEDDED, attribute(frame, "draw:name"))
        elif "draw:image" in names:
            self.sink.leave_out(PICTURES)

    def _object(self, embedded: Element) -> None:
        """Read a chart or a formula; any other object is a document of its own."""
        folder = posixpath.normpath(attribute(embedded, "xlink:href"))
        name = posixpath.join(folder, "content.xml")
        tree: Element | None = None
        if len(embedded):
            tree = embedded[0]
        elif self._package is not None and self._package.has(name):
            # Once only: an object inside an object could lead back to itself.
            tree = self._package.tree(name)
        found = _first(tree, _READ_OBJECTS) if tree is not None else None
        if found is None or _first(found, frozenset(("draw:object",))) is not None:
            self.sink.leave_out(EMBEDDED, folder)
        else:
            self.block(found)

    def _deletions(self, changes: Element) -> None:
        for item in changes.iter():
            if name_of(item) == "text:deletion":
                texts = [i for i in item if name_of(i) != "office:change-info"]
                self.sink.hide("deleted_text", " ".join(map(inner_text, texts)))

    @contextmanager
    def _on_style(self, element: Element) -> Iterator[None]:
        before = self._is_filled
        for family, key in (
            ("table-cell", "table:style-name"),
            ("graphic", "draw:style-name"),
            ("presentation", "presentation:style-name"),
        ):
            name = attribute(element, key)
            filled = self._styles.look(family, name).is_filled if name else None
            self._is_filled = self._is_filled if filled is None else filled
        yield
        self._is_filled = before


def _has_text(element: Element) -> bool:
    return bool(inner_text(element).strip())


def _rows(table: Element) -> Iterator[Element]:
    for item in table:
        if name_of(item) == "table:table-row":
            yield item
        elif name_of(item) in _ROW_GROUPS:
            yield from _rows(item)


def _lays_out(row: Element) -> bool:
    """Tell whether a row holds more than one line can say well."""
    chars = 0
    for item in row.iterdescendants():
        if name_of(item) in ("table:table", "table:sub-table"):
            return True
        chars += len(item.text or "") + len(item.tail or "")
    return chars > _LONGEST_ROW_CHARS


def _is_beside(item: Element, cell: Element) -> bool:
    """Tell whether a paragraph is inside a note, a comment or a shape of the cell."""
    parent = item.getparent()
    while parent is not None and parent is not cell:
        name = name_of(parent)
        if name in SHAPES or name.endswith("-body") or name == "office:annotation":
            return True
        parent = parent.getparent()
    return False


def _first(tree: Element, names: frozenset[str]) -> Element | None:
    return next((item for item in tree.iter() if name_of(item) in names), None)


def _formula(element: Element) -> str:
    """Return a formula as its author typed it, where the file says so, else its signs."""
    for item in element.iter():
        if name_of(item) == "math:annotation":
            return inner_text(item)
    return " ".join(inner_text(element).split())
