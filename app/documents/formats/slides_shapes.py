"""What the shapes of a PowerPoint slide say, and where they are."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.documents.formats.beside import Beside
from app.documents.formats.look import is_pale
from app.documents.formats.markup import Element, attribute, name_of
from app.documents.formats.office_graphics import chart_lines, diagram_lines
from app.documents.formats.package import Package
from app.documents.formats.slide_pages import Shape, ShapeText, in_reading_order
from app.documents.formats.word_runs import EMBEDDED, PICTURES
from app.documents.formats.word_styles import child
from app.documents.values import HiddenKind

_TITLES = ("title", "ctrTitle")
_FOOTERS = ("ftr", "hdr")
_NUMBERS = ("sldNum", "dt", "sldImg")
_TINY_HUNDREDTHS = 200
_OFF = ("0", "false")
_BULLET = "• "
_WHITE_SCHEME = ("bg1", "lt1")
_FILLS = ("a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill")

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What lies round the shapes of one slide.

    Attributes:
        places: Left, top, width and height of the layout's placeholders, by index and by type.
        is_white: White text without a fill behind it cannot be seen.
        size: Width and height of the slide; zeros where unknown.
    """

    places: dict[str, Box]
    is_white: bool
    size: tuple[float, float]


class SlideShapes:
    """Reads the shapes of slides of one file."""

    def __init__(self, package: Package, beside: Beside) -> None:
        self._package = package
        self._beside = beside
        self._footers: set[str] = set()

    def read(
        self,
        tree: Element,
        relations: dict[str, tuple[str, str]],
        around: Surroundings,
    ) -> list[Shape]:
        """Return the shapes inside a `p:spTree`, those without text left out.

        Raises:
            FormatError: A chart or diagram is broken or too much.
        """
        reading = _Slide(self._package, self._beside, relations, around)
        shapes = [shape for item in tree for shape in reading.shapes(item)]
        return [shape for shape in shapes if self._is_new(shape)]

    def _is_new(self, shape: Shape) -> bool:
        """Let each footer pass once."""
        if not shape.is_footer:
            return True
        text = "\n".join(line.text for line in shape.lines)
        is_new = text not in self._footers
        self._footers.add(text)
        return is_new


@dataclass(frozen=True, slots=True)
class _Slide:
    package: Package
    beside: Beside
    relations: dict[str, tuple[str, str]]
    around: Surroundings

    def shapes(self, item: Element) -> Iterator[Shape]:
        """Yield what one child of the tree of shapes says; a group is one shape."""
        name = name_of(item)
        if name == "mc:AlternateContent":
            for inner in item[0] if len(item) else ():
                yield from self.shapes(inner)
        elif _is_hidden(item):
            self.beside.hide("invisible_text", all_text(item))
        elif name == "p:grpSp":
            inside = [shape for inner in item for shape in self.shapes(inner)]
            if inside:
                yield self._group(item, inside)
        else:
            yield from self._single(item, name)

    def _single(self, item: Element, name: str) -> Iterator[Shape]:
        sink = ShapeText(self.beside)
        kind, index = _placeholder(item)
        if name == "p:sp" and kind not in _NUMBERS:
            self._text(item, sink)
        elif name == "p:graphicFrame":
            self._graphic(item, sink)
        elif name == "p:pic":
            sink.leave_out(PICTURES)
        box = _box(item) or self.around.places.get(index) or self.around.places.get(kind)
        if self._is_outside(box):
            text = " ".join(line.text for line in sink.lines)
            self.beside.hide("off_page", text)
        elif sink.lines:
            left, top, _, height = box or (0.0, 0.0, 0.0, 0.0)
            lines = tuple(sink.lines)
            yield Shape(top, left, height, lines, kind in _TITLES, kind in _FOOTERS)

    def _group(self, item: Element, inside: list[Shape]) -> Shape:
        left, top, _, height = _box(item) or (0.0, 0.0, 0.0, 0.0)
        ordered = in_reading_order(inside)
        sink = ShapeText(self.beside)
        for shape in ordered:
            sink.gap()
            sink.lines += shape.lines
        return Shape(top, left, height, tuple(sink.lines), any(s.is_title for s in inside))

    def _is_outside(self, box: Box | None) -> bool:
        width, height = self.around.size
        if box is None or not width or not height:
            return False
        return (
            box[0] >= width or box[1] >= height or box[0] + box[2] <= 0 or box[1] + box[3] <= 0
        ) and box[2] > 0

    def _text(self, item: Element, sink: ShapeText) -> None:
        body = child(item, "p:txBody")
        is_filled = not self.around.is_white or _is_painted(item)
        was_item = False
        for paragraph in body if body is not None else ():
            if name_of(paragraph) == "a:p":
                text = self._paragraph(paragraph, sink, is_filled=is_filled)
                is_item = text.startswith(_BULLET)
                sink.paragraph(text, stands_close=is_item and was_item)
                was_item = is_item

    def _paragraph(self, paragraph: Element, sink: ShapeText, *, is_filled: bool) -> str:
        texts: list[str] = []
        for item in paragraph.iter():
            name = name_of(item)
            if name == "a:br":
                texts.append("\n")
            elif name in {"a:t", "m:t"}:
                kind = _hidden_kind(item.getparent(), is_filled=is_filled)
                if kind is None:
                    texts.append(item.text or "")
                else:
                    sink.hide(kind, item.text or "")
        text = "".join(texts)
        has_bullet = child(child(paragraph, "a:pPr"), "a:buChar") is not None
        return f"{_BULLET}{text.strip()}" if has_bullet and text.strip() else text

    def _graphic(self, item: Element, sink: ShapeText) -> None:
        embedded = False
        for inner in item.iter():
            name = name_of(inner)
            if name == "a:tr":
                sink.row(self._cells(inner, sink))
            elif name == "a:tbl":
                sink.end_table()
            elif name == "c:chart":
                self._lines(chart_lines(self.package, self._target(inner, "r:id")), sink)
            elif name == "dgm:relIds":
                self._lines(diagram_lines(self.package, self._target(inner, "r:dm")), sink)
            elif name == "p:oleObj" and not embedded:
                embedded = True
                sink.leave_out(EMBEDDED, attribute(inner, "progId") or attribute(inner, "name"))

    def _cells(self, row: Element, sink: ShapeText) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if name_of(cell) != "a:tc" or attribute(cell, "hMerge") not in ("", *_OFF):
                continue
            body = child(cell, "a:txBody")
            paragraphs = [p for p in body if name_of(p) == "a:p"] if body is not None else []
            texts = [self._paragraph(p, sink, is_filled=True) for p in paragraphs]
            cells.append(" ".join(text for text in texts if text.strip()))
        return cells

    def _target(self, item: Element, key: str) -> str:
        return self.relations.get(attribute(item, key), ("", ""))[1]

    def _lines(self, lines: list[str], sink: ShapeText) -> None:
        for line in lines:
            sink.paragraph(line, stands_close=True)


def places_of(layout: Element | None, fallback: dict[str, Box]) -> dict[str, Box]:
    """Return where a layout puts its placeholders, by index and by type."""
    places = dict(fallback)
    for item in layout.iter() if layout is not None else ():
        if name_of(item) == "p:sp":
            kind, index = _placeholder(item)
            box = _box(item) or fallback.get(kind)
            if box is not None:
                places.setdefault(index, box)
                places[kind] = box
    return places


def is_painted_over(tree: Element | None) -> bool:
    """Tell whether a slide, layout or master holds anything that white text could stand on."""
    for item in tree.iter() if tree is not None else ():
        name = name_of(item)
        if name == "p:pic" or (name == "p:sp" and _is_painted(item)):
            return True
        if name == "p:bgPr" and child(item, "a:noFill") is None:
            return not _is_white_fill(child(item, "a:solidFill"))
    return False


def _placeholder(item: Element) -> tuple[str, str]:
    """Return the type and the index of a placeholder; empty for other shapes."""
    for holder in item:
        if name_of(holder).startswith("p:nv"):
            place = child(child(holder, "p:nvPr"), "p:ph")
            if place is not None:
                index = attribute(place, "idx")
                return attribute(place, "type") or "body", f"#{index}" if index else ""
    return "", ""


def _is_hidden(item: Element) -> bool:
    for holder in item:
        if name_of(holder).startswith("p:nv"):
            own = child(holder, "p:cNvPr")
            return own is not None and attribute(own, "hidden") not in ("", *_OFF)
    return False


def _box(item: Element) -> Box | None:
    """Return left, top, width and height; None where the layout decides."""
    transform = child(item, "p:xfrm")
    for holder in ("p:spPr", "p:grpSpPr"):
        transform = transform if transform is not None else child(child(item, holder), "a:xfrm")
    offset, extent = child(transform, "a:off"), child(transform, "a:ext")
    if offset is None or extent is None:
        return None
    try:
        return (
            float(attribute(offset, "x")),
            float(attribute(offset, "y")),
            float(attribute(extent, "cx")),
            float(attribute(extent, "cy")),
        )
    except ValueError:
        return None


def _is_painted(item: Element) -> bool:
    properties = child(item, "p:spPr")
    for fill in _FILLS:
        found = child(properties, fill)
        if found is not None:
            return not _is_white_fill(found)
    if child(properties, "a:noFill") is not None:
        return False
    reference = child(child(item, "p:style"), "a:fillRef")
    return reference is not None and attribute(reference, "idx") not in ("", "0")


def _is_white_fill(fill: Element | None) -> bool:
    if fill is None or name_of(fill) != "a:solidFill":
        return False
    color = child(fill, "a:srgbClr")
    if color is not None:
        return is_pale(attribute(color, "val"))
    scheme = child(fill, "a:schemeClr")
    return scheme is not None and attribute(scheme, "val") in _WHITE_SCHEME and not len(scheme)


def _hidden_kind(run: Element | None, *, is_filled: bool) -> HiddenKind | None:
    properties = child(run, "a:rPr")
    if properties is None:
        return None
    size = attribute(properties, "sz")
    if size.isdecimal() and int(size) < _TINY_HUNDREDTHS:
        return "tiny_text"
    is_unseen = not is_filled and child(properties, "a:highlight") is None
    return "pale_text" if is_unseen and _is_white_fill(child(properties, "a:solidFill")) else None


def all_text(item: Element) -> str:
    """Return all text inside, whether it is shown or not."""
    return " ".join(inner.text or "" for inner in item.iter() if name_of(inner) == "a:t")
