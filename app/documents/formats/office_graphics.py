"""What charts and diagrams of office documents say: their parts hold it once more as text."""

from collections.abc import Iterable

from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.package import Package
from app.documents.formats.sections import CELL_MARK

_POINT_SETS = frozenset(("c:cat", "c:val", "c:xVal", "c:yVal"))
_MOST_POINTS = 2000


def chart_lines(package: Package, part: str) -> list[str]:
    """Return a chart's titles, then a line for each category with the values of all series.

    Raises:
        Damaged: The part is broken.
        TooMuch: It is larger than the budget.
    """
    tree = package.tree(part) if part else None
    if tree is None:
        return []
    titles = [_paragraphs(item) for item in tree.iter() if name_of(item) == "c:title"]
    series = [_Series(item) for item in tree.iter() if name_of(item) == "c:ser"]
    lines = [title for title in titles if title]
    names = [own.name for own in series]
    if any(names):
        lines.append(CELL_MARK.join(("", *names)) if len(names) > 1 else names[0])
    for index in sorted({place for own in series for place in own.values})[:_MOST_POINTS]:
        category = next((own.categories[index] for own in series if index in own.categories), "")
        lines.append(CELL_MARK.join((category, *(own.values.get(index, "") for own in series))))
    return [line.removeprefix(CELL_MARK) for line in lines]


def diagram_lines(package: Package, part: str) -> list[str]:
    """Return what the shapes of a diagram (SmartArt) say, each before those below it.

    Raises:
        Damaged: The part is broken.
        TooMuch: It is larger than the budget.
    """
    tree = package.tree(part) if part else None
    if tree is None:
        return []
    points: dict[str, str] = {}
    roots: list[str] = []
    below: dict[str, list[tuple[int, str]]] = {}
    for item in tree.iter():
        if name_of(item) == "dgm:pt":
            points[attribute(item, "modelId")] = _paragraphs(item)
            if attribute(item, "type") == "doc":
                roots.append(attribute(item, "modelId"))
        elif name_of(item) == "dgm:cxn" and attribute(item, "type") in ("", "parOf"):
            order = attribute(item, "srcOrd")
            place = int(order) if order.isdecimal() else 0
            below.setdefault(attribute(item, "srcId"), []).append(
                (place, attribute(item, "destId"))
            )
    ordered = _in_order(roots, below)
    ordered += [point for point in points if point not in set(ordered)]
    return [points[point] for point in ordered if points.get(point)]


class _Series:
    """One row of numbers in a chart, by index of the category."""

    def __init__(self, item: Element) -> None:
        self.name = ""
        self.categories: dict[int, str] = {}
        self.values: dict[int, str] = {}
        for inner in item:
            name = name_of(inner)
            if name == "c:tx":
                self.name = " ".join(_values(inner).values())
            elif name in ("c:cat", "c:xVal"):
                self.categories = _values(inner)
            elif name in ("c:val", "c:yVal"):
                self.values = _values(inner)


def _values(item: Element) -> dict[int, str]:
    found: dict[int, str] = {}
    for inner in item.iter():
        if name_of(inner) == "c:pt":
            index = attribute(inner, "idx")
            place = int(index) if index.isdecimal() else len(found)
            text = _plain_number(inner_text(inner).strip())
            # Of several levels of categories the narrower comes first.
            found[place] = f"{text} {found[place]}" if place in found else text
    if not found:
        text = inner_text(item).strip() if name_of(item) == "c:tx" else ""
        return {0: text} if text and "!" not in text else {}
    return found


def _plain_number(text: str) -> str:
    """Return 4.3 for 4.2999999999999998, which is how programs write it."""
    if "." not in text:
        return text
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def _paragraphs(item: Element) -> str:
    texts = [inner_text(inner) for inner in item.iter() if name_of(inner) == "a:p"]
    return " ".join(" ".join(text.split()) for text in texts if text.strip())


def _in_order(roots: Iterable[str], below: dict[str, list[tuple[int, str]]]) -> list[str]:
    found: dict[str, None] = {}
    todo = list(roots)
    while todo:
        point = todo.pop()
        if point not in found:
            found[point] = None
            todo += [inner for _, inner in sorted(below.get(point, ()), reverse=True)]
    return list(found)
