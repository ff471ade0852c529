"""A place in a document in words, as a person would look for it: `letter.pdf › p. 3`."""

from collections.abc import Callable

from app.documents.values import Place, Unit
from app.messages import QT_TRANSLATE_NOOP

_MOST_LABEL_CHARS = 60
_PLACES: dict[Unit, str] = {
    "page": QT_TRANSLATE_NOOP("summary", "p. {number}"),
    "slide": QT_TRANSLATE_NOOP("summary", "slide {number}"),
    "sheet": QT_TRANSLATE_NOOP("summary", "sheet {number}"),
    "section": QT_TRANSLATE_NOOP("summary", "section {number}"),
    "message": QT_TRANSLATE_NOOP("summary", "message {number}"),
    "image": QT_TRANSLATE_NOOP("summary", "picture {number}"),
}
_LABELLED: dict[Unit, str] = {
    "sheet": QT_TRANSLATE_NOOP("summary", "sheet “{label}”"),
    "section": QT_TRANSLATE_NOOP("summary", "section {number}, “{label}”"),
}
_WITH_CELLS = QT_TRANSLATE_NOOP("summary", "{place}, {cells}")
UNITS: dict[Unit, tuple[str, str]] = {
    "page": (QT_TRANSLATE_NOOP("summary", "page"), QT_TRANSLATE_NOOP("summary", "pages")),
    "slide": (QT_TRANSLATE_NOOP("summary", "slide"), QT_TRANSLATE_NOOP("summary", "slides")),
    "sheet": (QT_TRANSLATE_NOOP("summary", "sheet"), QT_TRANSLATE_NOOP("summary", "sheets")),
    "section": (QT_TRANSLATE_NOOP("summary", "section"), QT_TRANSLATE_NOOP("summary", "sections")),
    "message": (QT_TRANSLATE_NOOP("summary", "part"), QT_TRANSLATE_NOOP("summary", "parts")),
    "image": (QT_TRANSLATE_NOOP("summary", "picture"), QT_TRANSLATE_NOOP("summary", "pictures")),
}


def in_words(
    place: Place, translate: Callable[[str], str] = str, *, name: str = "", heading: str = ""
) -> str:
    """Return `place` in words, after the attachment it is in and the document's `name`.

    A label that only repeats `heading`, under which the place is shown, is left out.
    """
    label = " ".join(place.label.split())
    label = label if len(label) <= _MOST_LABEL_CHARS else f"{label[: _MOST_LABEL_CHARS - 1]}…"
    is_named = bool(label) and place.unit in _LABELLED and label != heading
    template = _LABELLED[place.unit] if is_named else _PLACES[place.unit]
    text = translate(template).format(number=place.number or place.page, label=label)
    if place.cells:
        text = translate(_WITH_CELLS).format(place=text, cells=place.cells)
    return " › ".join(part for part in (name, place.part, text) if part)


def units(unit: Unit, count: int, translate: Callable[[str], str] = str) -> str:
    """Return what `count` units are called, such as `pages`."""
    one, many = UNITS[unit]
    return translate(one if count == 1 else many)
