"""Word documents (DOCX): paragraphs, lists, tables, notes and boxes in the order they are read.

No library gets both namespaces, text boxes, notes and hidden text together. The body is read one
paragraph or table at a time, so that its size does not count.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    TooMuch,
)
from app.documents.formats.look import is_pale
from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.office_graphics import chart_lines, diagram_lines
from app.documents.formats.office_properties import read_properties
from app.documents.formats.package import Package
from app.documents.formats.sections import Sections
from app.documents.formats.word_numbering import Numbering
from app.documents.formats.word_runs import (
    EMBEDDED,
    Runs,
    Said,
    deleted_text,
    shows_placeholder,
)
from app.documents.formats.word_shapes import Ground, surroundings
from app.documents.formats.word_styles import (
    ParagraphStyle,
    Styles,
    child,
    has_fill,
    is_on,
    numbering_of,
    outline_level,
)

_BODY = frozenset(("w:body", "w:document"))
_WRAPPERS = frozenset(
    ("w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag", "mc:Choice", "mc:Fallback")
)
_DELETED = frozenset(("w:del", "w:moveFrom"))
_BODY_LEVEL = 9
_LONGEST_HEADING_CHARS = 300
# A row with more in it is a way to lay out a page, and read cell by cell.
_LONGEST_ROW_CHARS = 1500
_REFERENCES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the document.

    Raises:
        FormatError: One of its subclasses.
    """
    package = Package(source, context.budget)
    try:
        return _Document(package).read()
    except RecursionError as error:
        raise TooMuch("depth") from error


class _Document:
    """One document while it is read."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = package.root_part("officeDocument", "word/document.xml")
        if not package.has(self._main):
            raise Damaged
        self._relations = package.relations(self._main)
        self._styles = Styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))
        self._runs = Runs(self._styles)
        self._notes = {note: self._notes_of(part, note) for part, note in _REFERENCES.items()}
        self._sections = Sections(Findings(), self._styles.body_half_points / 2)
        self._endnotes: list[Element] = []
        self._is_filled = False
        self._ground = Ground()
        self._list_style = ""

    def read(self) -> DocumentFile:
        """Return all of it."""
        for element in self._package.elements(self._main, _BODY):
            if name_of(element) == "w:background":
                self._is_filled = not is_pale(attribute(element, "w:color"))
            else:
                self._block(element)
        for note in self._endnotes:
            self._blocks(note)
        self._margins()
        self._leftovers()
        title = read_properties(self._package, self._sections.findings)
        return self._sections.finish("docx", title)

    def _part(self, kind: str) -> Element | None:
        name = next((to for own, to in self._relations.values() if own == kind and to), "")
        return self._package.tree(name) if name else None

    def _notes_of(self, part: str, kind: str) -> dict[str, Element]:
        tree = self._part(part)
        return {
            attribute(note, "w:id"): note
            for note in (tree if tree is not None else ())
            if name_of(note) == f"w:{kind}" and attribute(note, "w:type") in ("", "normal")
        }

    def _blocks(self, elements: Iterable[Element]) -> None:
        for element in elements:
            self._block(element)

    def _block(self, element: Element) -> None:
        name = name_of(element)
        if name == "w:p":
            self._paragraph(element)
        elif name == "w:tbl":
            self._table(element)
        elif name in _DELETED:
            self._sections.hide("deleted_text", deleted_text(element))
        elif name == "w:altChunk":
            _, target = self._relations.get(attribute(element, "r:id"), ("", ""))
            self._sections.leave_out(EMBEDDED, target.rpartition("/")[2])
        else:
            self._blocks(_inside(element))

    def _paragraph(self, element: Element) -> None:
        properties = child(element, "w:pPr")
        style_id = _value(properties, "w:pStyle")
        style = self._styles.paragraph(style_id)
        said = self._said(element, properties, style)
        level = outline_level(properties)
        level = style.level if level is None else level
        mark = self._mark(said, properties, style, style_id)
        text = f"{mark} {said.text.strip()}" if mark else said.text
        is_heading = level is not None and level < _BODY_LEVEL
        if is_heading and 0 < len(text.strip()) <= _LONGEST_HEADING_CHARS:
            self._sections.heading(" ".join(text.split()), level or 0)
        elif said.text.strip():
            scale = (said.half_points or self._styles.body_half_points) / 2
            close = bool(mark) and self._list_style == style_id
            self._sections.paragraph(text, bold=said.is_bold, height=scale, stands_close=close)
            self._list_style = style_id if mark else ""
        self._after(said)

    def _said(self, element: Element, properties: Element | None, style: ParagraphStyle) -> Said:
        shading = child(properties, "w:shd")
        is_filled = self._is_filled or (shading is not None and has_fill(shading))
        said = self._runs.read(element, style, is_filled=is_filled)
        for kind, texts in said.hidden.items():
            self._sections.hide(kind, "".join(texts))
        return said

    def _mark(
        self, said: Said, properties: Element | None, style: ParagraphStyle, style_id: str
    ) -> str:
        """Return the number or bullet before the paragraph; one without text is not counted."""
        own_id, own_level = numbering_of(properties)
        list_id = own_id if own_id is not None else style.numbering[0]
        level = own_level if own_level is not None else style.numbering[1]
        if list_id is None or not said.text.strip():
            return ""
        return self._numbering.mark(list_id, level, style_id)

    def _after(self, said: Said) -> None:
        """Read what a paragraph held beside its text."""
        for code, name in said.left_out:
            self._sections.leave_out(code, name)
        for kind, relation in said.graphics:
            self._graphic(kind, relation)
        for box in said.boxes:
            with self._on_fill(self._ground.is_painted(surroundings(box)) or None):
                self._blocks(box)
        for kind, note_id in said.notes:
            # Each note once, and a note that refers to itself never again.
            note = self._notes.get(kind, {}).pop(note_id, None)
            if note is None:
                continue
            if kind == "comment":
                self._sections.hide("comment", inner_text(note))
            elif kind == "endnote":
                self._endnotes.append(note)
            else:
                self._blocks(note)

    def _graphic(self, kind: str, relation: str) -> None:
        _, target = self._relations.get(relation, ("", ""))
        read = chart_lines if kind == "chart" else diagram_lines
        for line in read(self._package, target):
            self._sections.paragraph(line, stands_close=True)

    def _table(self, table: Element) -> None:
        properties = child(table, "w:tblPr")
        shading = child(properties, "w:shd")
        style_fills = self._styles.fills_cells(_value(properties, "w:tblStyle"))
        is_filled = style_fills or (shading is not None and has_fill(shading))
        self._sections.gap()
        is_grid = False
        with self._on_fill(is_filled or None):
            for row in _found_inside(table, "w:tr"):
                is_grid |= self._row(row)
        self._sections.findings.tables += is_grid
        self._sections.gap()

    def _row(self, row: Element) -> bool:
        """Read one row; tell whether it has several cells that stand in one line."""
        properties = child(row, "w:trPr")
        if child(properties, "w:del") is not None:
            self._sections.hide("deleted_text", deleted_text(row))
            return False
        hidden = child(properties, "w:hidden")
        if hidden is not None and is_on(hidden):
            self._sections.hide("hidden_cells", deleted_text(row))
            return False
        cells = list(_found_inside(row, "w:tc"))
        if _lays_out(row):
            for cell in cells:
                with self._on_fill(_cell_fill(cell)):
                    self._blocks(cell)
            return False
        texts: list[str] = []
        later: list[Said] = []
        for cell in cells:
            with self._on_fill(_cell_fill(cell)):
                texts.append(self._cell(cell, later))
        self._sections.row(texts)
        for said in later:
            self._after(said)
        return len(cells) > 1

    def _cell(self, cell: Element, later: list[Said]) -> str:
        """Return a cell's paragraphs in one line; what they hold beside goes to `later`."""
        texts: list[str] = []
        for paragraph in _found_inside(cell, "w:p"):
            properties = child(paragraph, "w:pPr")
            style_id = _value(properties, "w:pStyle")
            style = self._styles.paragraph(style_id)
            said = self._said(paragraph, properties, style)
            texts.append(f"{self._mark(said, properties, style, style_id)} {said.text}".strip())
            later.append(said)
        return " ".join(texts)

    def _margins(self) -> None:
        """Add what headers and footers say, each line once and after all else.

        Before it, a letterhead of many lines would be taken for how the document begins.
        """
        self._sections.begin_margins()
        for kind, target in self._relations.values():
            if kind in ("header", "footer") and target:
                tree = self._package.tree(target)
                self._blocks(tree if tree is not None else ())

    def _leftovers(self) -> None:
        """Name the comments and notes that nothing in the text refers to."""
        for note in self._notes["comment"].values():
            self._sections.hide("comment", inner_text(note))
        for kind in ("footnote", "endnote"):
            for note in self._notes[kind].values():
                self._sections.hide("invisible_text", deleted_text(note))

    @contextmanager
    def _on_fill(self, is_filled: bool | None) -> Iterator[None]:
        before = self._is_filled
        self._is_filled = before if is_filled is None else is_filled
        yield
        self._is_filled = before


def _value(properties: Element | None, name: str) -> str:
    item = child(properties, name)
    return attribute(item, "w:val") if item is not None else ""


def _inside(element: Element) -> Iterable[Element]:
    """Return what a wrapper round paragraphs holds; nothing for what is no wrapper."""
    name = name_of(element)
    if name == "w:sdt":
        content = child(element, "w:sdtContent")
        return () if content is None or shows_placeholder(element) else content
    if name == "mc:AlternateContent":
        return list(element)[:1]
    return element if name in _WRAPPERS else ()


def _found_inside(element: Element, name: str) -> Iterator[Element]:
    """Yield the children called `name`, those in wrappers as well."""
    for inner in element:
        if name_of(inner) == name:
            yield inner
        else:
            yield from _found_inside_wrapper(inner, name)


def _found_inside_wrapper(wrapper: Element, name: str) -> Iterator[Element]:
    for inner in _inside(wrapper):
        if name_of(inner) == name:
            yield inner
        else:
            yield from _found_inside_wrapper(inner, name)


def _lays_out(row: Element) -> bool:
    """Tell whether a row holds more than one line can say well."""
    chars = 0
    for item in row.iterdescendants():
        name = name_of(item)
        if name == "w:tbl":
            return True
        if name == "w:t":
            chars += len(item.text or "")
    return chars > _LONGEST_ROW_CHARS


def _cell_fill(cell: Element) -> bool | None:
    shading = child(child(cell, "w:tcPr"), "w:shd")
    return has_fill(shading) if shading is not None else None
