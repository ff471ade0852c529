"""What one paragraph of an OpenDocument file says, without what nobody sees.

Notes, boxes and objects in it are handed back to be read after it.
"""

from dataclasses import dataclass, field

from app.documents.formats.look import Look
from app.documents.formats.markup import Element, attribute, inner_text, name_of
from app.documents.formats.odf_styles import OdfStyles
from app.documents.values import HiddenKind

SHAPES = frozenset(
    (
        "draw:frame", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:g",
        "draw:line", "draw:path", "draw:polygon", "draw:polyline", "draw:connector",
        "draw:caption", "draw:text-box", "draw:a", "draw:regular-polygon", "draw:measure",
    )
)  # fmt: skip
# What is inside is no text of the document, or stands elsewhere as well.
_NO_TEXT = frozenset(
    (
        "office:script", "text:script", "office:annotation-end", "text:placeholder",
        "text:ruby-text", "text:note-citation", "text:tracked-changes", "office:forms",
        "svg:title", "svg:desc",
        "text:hidden-text", "office:event-listeners",
    )
)  # fmt: skip
_MOST_SPACES = 100
_MOSTLY = 0.9


@dataclass(slots=True)
class OdfSaid:
    """What a paragraph holds.

    Attributes:
        parts: What a reader sees, in pieces, with line breaks.
        chars: How many characters those are.
        hidden: What nobody sees, in pieces by kind.
        notes: Bodies of its footnotes and endnotes.
        shapes: Frames and shapes in it.
        bold_chars: How many of its characters are bold.
        half_points: Size of its first character that is seen; 0 where that is not said.
    """

    parts: list[str] = field(default_factory=list)
    chars: int = 0
    hidden: dict[HiddenKind, list[str]] = field(default_factory=dict)
    notes: list[Element] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)
    bold_chars: int = 0
    half_points: int = 0

    @property
    def text(self) -> str:
        """What a reader sees, in one piece."""
        return "".join(self.parts)

    @property
    def is_bold(self) -> bool:
        """Whether nearly all of it is bold."""
        return self.bold_chars > _MOSTLY * self.chars > 0

    def hide(self, kind: HiddenKind, text: str) -> None:
        """Add text that nobody sees."""
        self.hidden.setdefault(kind, []).append(text)


def read_paragraph(element: Element, styles: OdfStyles, *, is_filled: bool) -> OdfSaid:
    """Return what a `text:p` or `text:h` says; `is_filled` where what lies behind has a color."""
    said = OdfSaid()
    style = attribute(element, "text:style-name") or "Standard"
    _Reader(said, styles, is_filled=is_filled).walk(element, styles.look("paragraph", style))
    return said


class _Reader:
    def __init__(self, said: OdfSaid, styles: OdfStyles, *, is_filled: bool) -> None:
        self._said = said
        self._styles = styles
        self._is_filled = is_filled

    def walk(self, element: Element, look: Look) -> None:
        self._add(_collapsed(element.text), look)
        for inner in element:
            self._item(inner, name_of(inner), look)
            self._add(_collapsed(inner.tail), look)

    def _item(self, inner: Element, name: str, look: Look) -> None:
        said = self._said
        if name == "text:s":
            count = attribute(inner, "text:c")
            self._add(" " * min(int(count) if count.isdecimal() else 1, _MOST_SPACES), look)
        elif name in ("text:tab", "text:tab-stop"):
            self._add(" ", look)
        elif name == "text:line-break":
            self._add("\n", look)
        elif name in ("text:note", "text:footnote", "text:endnote"):
            said.notes += [i for i in inner if name_of(i).endswith("-body")]
        elif name == "office:annotation":
            said.hide("comment", annotation_text(inner))
        elif name in SHAPES:
            said.shapes.append(inner)
        elif name in ("text:hidden-paragraph", "text:hidden-text"):
            self._hidden_field(inner)
        elif name and name not in _NO_TEXT:
            style = attribute(inner, "text:style-name") if name == "text:span" else ""
            self.walk(inner, self._styles.look("text", style).over(look) if style else look)

    def _hidden_field(self, element: Element) -> None:
        text = inner_text(element) or attribute(element, "text:string-value")
        if attribute(element, "text:is-hidden") == "false":
            self._add(text, Look())
        else:
            self._said.hide("invisible_text", text)

    def _add(self, text: str, look: Look) -> None:
        if not text:
            return
        said = self._said
        kind = look.hidden_kind(is_filled=self._is_filled)
        if kind is not None:
            said.hide(kind, text)
            return
        said.parts.append(text)
        said.chars += len(text)
        if look.is_bold:
            said.bold_chars += len(text)
        if not said.half_points and text.strip():
            said.half_points = look.half_points or 0


def annotation_text(element: Element) -> str:
    """Return what a comment says, without who wrote it and when."""
    texts = [inner_text(i) for i in element if name_of(i) in ("text:p", "text:list", "text:h")]
    return " ".join(texts)


def _collapsed(text: str | None) -> str:
    """Return `text` with each run of white space as one space, as the format says."""
    if not text:
        return ""
    shown = " ".join(text.split())
    before = " " if text[0].isspace() else ""
    after = " " if shown and text[-1].isspace() else ""
    return f"{before}{shown}{after}"
