"""What one paragraph of a Word document says: its runs, without what nobody sees.

Text boxes and notes in it are handed back to be read after it. The state of fields goes from one
paragraph to the next, because a table of contents is one field over many.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.documents.formats.look import Look
from app.documents.formats.markup import Element, attribute, name_of
from app.documents.formats.word_shapes import Ground
from app.documents.formats.word_styles import ParagraphStyle, Styles, child, look_of, number
from app.documents.values import HiddenKind

EMBEDDED = "embedded_left_out"
PICTURES = "pictures_left_out"
_TRANSPARENT = frozenset(
    (
        "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:fldSimple", "w:dir",
        "w:bdo", "w:sdtContent", "w:rubyBase", "w:ruby", "m:oMath", "m:oMathPara",
    )
)  # fmt: skip
_DELETED = frozenset(("w:del", "w:moveFrom"))
_CHARACTERS = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
}
# The symbol fonts' places of what is worth a character in text.
_SYMBOLS = {
    0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0x72: "☐", 0xFE: "☒", 0xFD: "☒", 0x78: "☒", 0xFC: "✓",
    0xFB: "✗", 0xE0: "→", 0xDF: "←", 0xE8: "→", 0xB7: "•", 0xA7: "•",
}  # fmt: skip
_PRIVATE_USE = 0xF000
_MOSTLY = 0.9

Handler = Callable[[Element, Look], None]


@dataclass(slots=True)
class Said:
    """What a paragraph holds.

    Attributes:
        parts: What a reader sees, in pieces, with line breaks and tabs.
        chars: How many characters those are.
        hidden: What nobody sees, in pieces by kind.
        boxes: `w:txbxContent` in it, each once.
        notes: Kind and id of the notes it refers to: `footnote`, `endnote`, `comment`.
        graphics: Charts and diagrams: the kind and the id of the relation.
        left_out: What was not read: code and name, as in `LeftOut`.
        bold_chars: How many of its characters are bold.
        half_points: Size of its first character that is seen; 0 where there is none.
    """

    parts: list[str] = field(default_factory=list)
    chars: int = 0
    hidden: dict[HiddenKind, list[str]] = field(default_factory=dict)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    graphics: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
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

    def add(self, text: str) -> None:
        """Add text that is seen."""
        self.parts.append(text)
        self.chars += len(text)


class Runs:
    """Reads paragraphs of one document, one after the other."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._fields: list[bool] = []  # for each open field whether its result has begun
        self._said = Said()
        self._base = Look()
        self._is_filled = False
        self._paragraph: Element = None
        self._ground = Ground()
        self._handlers: dict[str, Handler] = {
            "w:t": self._text,
            "m:t": self._text,
            "w:sym": self._symbol,
            "w:fldChar": self._field,
            "w:drawing": self._drawing,
            "w:pict": self._picture,
            "w:object": self._object,
            "m:f": self._fraction,
            "m:sup": self._raised,
            "m:sub": self._lowered,
        }

    def read(self, paragraph: Element, style: ParagraphStyle, *, is_filled: bool) -> Said:
        """Return what the `w:p` says; `is_filled` where what lies behind it has a color."""
        self._said = Said()
        self._base, self._is_filled, self._paragraph = style.look, is_filled, paragraph
        self._walk(paragraph, self._base)
        if self._fields and not self._fields[-1]:
            # A field's code ends with its paragraph at the latest, or all that follows would go.
            self._fields.pop()
        said, self._said = self._said, Said()
        return said

    def _walk(self, element: Element, look: Look) -> None:
        for inner in element:
            self._item(inner, name_of(inner), look)

    def _item(self, inner: Element, name: str, look: Look) -> None:
        if name == "w:r":
            self._walk(inner, self._run_look(inner))
        elif name in _TRANSPARENT or (name.startswith("m:") and name not in self._handlers):
            self._walk(inner, look)
        elif name in self._handlers:
            self._handlers[name](inner, look)
        elif name in _CHARACTERS:
            self._add(_CHARACTERS[name], look)
        elif name in _DELETED:
            self._hide("deleted_text", deleted_text(inner))
        elif name == "w:sdt":
            self._content_control(inner, look)
        elif name == "mc:AlternateContent":
            self._alternate(inner, look)
        elif name.endswith("Reference"):
            kind = name.removeprefix("w:").removesuffix("Reference")
            self._said.notes.append((kind, attribute(inner, "w:id")))

    def _run_look(self, run: Element) -> Look:
        properties = child(run, "w:rPr")
        if properties is None:
            return self._base
        look = look_of(properties)
        style = child(properties, "w:rStyle")
        if style is not None:
            look = look.over(self._styles.character(attribute(style, "w:val")))
        return look.over(self._base)

    def _text(self, element: Element, look: Look) -> None:
        self._add(element.text or "", look)

    def _add(self, text: str, look: Look) -> None:
        if not all(self._fields):
            return
        kind = look.hidden_kind(is_filled=self._is_filled)
        if kind == "pale_text" and self._ground.is_painted(self._paragraph):
            self._is_filled, kind = True, None
        if kind is not None:
            self._hide(kind, text)
            return
        said = self._said
        said.add(text)
        if look.is_bold:
            said.bold_chars += len(text)
        if not said.half_points and text.strip():
            said.half_points = look.half_points or 0

    def _hide(self, kind: HiddenKind, text: str) -> None:
        self._said.hidden.setdefault(kind, []).append(text)

    def _symbol(self, element: Element, look: Look) -> None:
        try:
            code = int(attribute(element, "w:char"), 16)
        except ValueError:
            return
        self._add(_SYMBOLS.get(code & 0xFF, "") if code >= _PRIVATE_USE else "", look)

    def _field(self, element: Element, look: Look) -> None:
        kind = attribute(element, "w:fldCharType")
        if kind == "begin":
            form = child(element, "w:ffData")
            self._add(_form_value(form) if form is not None else "", look)
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _content_control(self, element: Element, look: Look) -> None:
        if not shows_placeholder(element):
            content = child(element, "w:sdtContent")
            if content is not None:
                self._walk(content, look)

    def _alternate(self, element: Element, look: Look) -> None:
        """Take the first way of saying it that says something: the others say the same again."""
        for way in element:
            before = self._amount()
            self._walk(way, look)
            if self._amount() > before:
                break

    def _amount(self) -> int:
        said = self._said
        found = (said.boxes, said.graphics, said.left_out, said.notes)
        return said.chars + sum(map(len, found)) + sum(map(len, said.hidden.values()))

    def _drawing(self, element: Element, look: Look) -> None:  # noqa: ARG002
        """Look for boxes, charts and pictures however deep they lie; a box's inside comes later."""
        todo = [element]
        while todo:
            item = todo.pop()
            name = name_of(item)
            if name == "w:txbxContent":
                self._said.boxes.append(item)
            elif name == "c:chart":
                self._said.graphics.append(("chart", attribute(item, "r:id")))
            elif name == "dgm:relIds":
                self._said.graphics.append(("diagram", attribute(item, "r:dm")))
            elif name in ("pic:pic", "v:imagedata"):
                self._said.left_out.append((PICTURES, ""))
            elif name == "v:textpath":
                self._said.add(attribute(item, "string"))
            elif name == "mc:AlternateContent":
                todo += list(item)[:1]
            else:
                todo += reversed(item)

    _picture = _drawing

    def _object(self, element: Element, look: Look) -> None:
        embedded = [item for item in element.iter() if name_of(item) == "o:OLEObject"]
        for item in embedded:
            self._said.left_out.append((EMBEDDED, attribute(item, "ProgID")))
        if not embedded:
            self._drawing(element, look)

    def _fraction(self, element: Element, look: Look) -> None:
        for index, part in enumerate(element):
            if name_of(part) in ("m:num", "m:den"):
                if index and name_of(part) == "m:den":
                    self._add("/", look)
                self._walk(part, look)

    def _raised(self, element: Element, look: Look) -> None:
        self._add("^", look)
        self._walk(element, look)

    def _lowered(self, element: Element, look: Look) -> None:
        self._add("_", look)
        self._walk(element, look)


def deleted_text(element: Element) -> str:
    """Return all text in an element, deleted or not, but no field codes."""
    texts = (item for item in element.iter() if name_of(item) in ("w:t", "w:delText"))
    return " ".join(item.text or "" for item in texts)


def shows_placeholder(element: Element) -> bool:
    """Tell whether a content control shows only what to fill in."""
    return child(child(element, "w:sdtPr"), "w:showingPlcHdr") is not None


def _form_value(form: Element) -> str:
    """Return what a box to tick or a list to choose from is set to."""
    for item in form:
        name = name_of(item)
        values = {name_of(inner): attribute(inner, "w:val") for inner in item}
        if name == "w:checkBox":
            state = values.get("w:checked", values.get("w:default", "0"))
            return "☐" if state in ("0", "false", "off") else "☒"
        if name == "w:ddList":
            entries = [attribute(i, "w:val") for i in item if name_of(i) == "w:listEntry"]
            chosen = number(values.get("w:result", values.get("w:default", "0"))) or 0
            return entries[chosen] if 0 <= chosen < len(entries) else ""
    return ""
