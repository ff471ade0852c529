"""Rich text (RTF): paragraphs, headings by style, rows of tables, notes, without hidden text.

The text is in the encodings of its fonts, a byte at a time; bytes are gathered until the font
changes, because a character may be two of them.
"""

from collections.abc import Callable
from copy import copy

from app.documents.formats.format import (
    Context,
    Damaged,
    DocumentFile,
    Findings,
    Source,
    TooMuch,
)
from app.documents.formats.rtf_groups import (
    DESTINATIONS,
    ENTERED,
    NUMBERS,
    SILENT,
    STORIES,
    SWITCHES,
    Group,
)
from app.documents.formats.rtf_story import Story
from app.documents.formats.rtf_tables import BODY_LEVEL, Tables
from app.documents.formats.rtf_tokens import (
    SYMBOL_CHARSET,
    WESTERN,
    Token,
    code_page,
    prepare,
    tokens,
)
from app.documents.formats.sections import Sections

__all__ = ["open", "prepare"]

_LARGEST_BYTES = 200_000_000
_DEEPEST = 2000
_BODY_HALF_POINTS = 24
_EMBEDDED = "embedded_left_out"
_PICTURES = "pictures_left_out"
_BULLET = "•"
_SYMBOL_BULLETS = (0xB7, 0xA7, 0x6C, 0x6E, 0x71, 0x76, 0xD8, 0xFC)
_SIGNS = {"~": " ", "_": "-", "\n": "\n", "\r": "\n", "{": "{", "}": "}", "\\": "\\"}
_CHARACTERS = {
    "line": "\n", "tab": " ", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ",
    "qmspace": " ", "bullet": _BULLET, "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”",
}  # fmt: skip
_CELL_BACKGROUNDS = frozenset(("clcbpat", "clshdng", "clcbpatraw"))
_Handler = Callable[[int | None], None]
_CODE_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


def open(source: Source, context: Context) -> DocumentFile:  # noqa: A001 - the name all readers have
    """Read the document.

    Raises:
        FormatError: One of its subclasses.
    """
    if source.size_bytes > _LARGEST_BYTES:
        raise TooMuch("size")
    context.budget.take_bytes(source.size_bytes)
    text = source.stream.read().decode("latin-1")
    if not text.lstrip().startswith("{\\rtf"):
        raise Damaged
    return _Reader().read(text)


class _Reader:
    """Reads one file."""

    def __init__(self) -> None:
        self._sections = Sections(Findings(), body_height=_BODY_HALF_POINTS / 2)
        self._stories: list[tuple[int, Story]] = [(0, Story("text", self._sections))]
        self._groups: list[Group] = []
        self._group = Group()
        self._tables = Tables()
        self._default_font: int | None = None
        self._margins: list[str] = []
        self._title = ""
        self._bytes = bytearray()
        self._to_skip = 0
        self._is_starred = False
        self._is_row_filled = False
        self._words: dict[str, _Handler] = {
            "par": lambda _: self._end_paragraph(),
            "sect": lambda _: self._end_paragraph(),
            "page": lambda _: self._end_paragraph(),
            "cell": lambda _: self._story.end_cell(),
            "nestcell": lambda _: self._story.end_nested_cell(),
            "row": lambda _: self._story.end_row(),
            "trowd": lambda _: self._begin_row(),
            "pard": lambda _: self._group.reset_paragraph(),
            "plain": lambda _: self._group.reset_characters(),
            "u": self._unicode,
        }

    @property
    def _story(self) -> Story:
        return self._stories[-1][1]

    def read(self, text: str) -> DocumentFile:
        """Return the document."""
        for token in tokens(text):
            if token.kind == "open":
                self._open()
            elif token.kind == "close":
                self._close()
                if not self._groups:
                    break
            elif self._to_skip and token.kind != "text":
                self._to_skip -= 1
            else:
                self._take(token)
        self._flush()
        while len(self._stories) > 1:
            self._end_story(self._stories.pop()[1])
        self._story.end_row()
        self._end_paragraph()
        self._sections.begin_margins()
        for margin in self._margins:
            self._sections.paragraph(margin)
        return self._sections.finish("rtf", self._title)

    def _open(self) -> None:
        self._flush()
        self._to_skip = 0
        self._is_starred = False
        if len(self._groups) > _DEEPEST:
            raise TooMuch("depth")
        self._groups.append(self._group)
        self._group = copy(self._group)

    def _close(self) -> None:
        self._flush()
        self._to_skip = 0
        depth, story = self._stories[-1]
        if depth and depth == len(self._groups):
            self._stories.pop()
            self._end_story(story)
        if self._groups:
            self._group = self._groups.pop()

    def _take(self, token: Token) -> None:
        if token.kind == "text":
            self._plain_text(token.text)
        elif token.kind == "byte":
            self._byte(token.value or 0)
        elif token.kind == "word":
            self._word(token.text, token.value)
        elif token.text == "*":
            self._is_starred = True
        elif token.text in _SIGNS:
            self._add(_SIGNS[token.text])

    def _plain_text(self, text: str) -> None:
        if self._to_skip:
            text, self._to_skip = text[self._to_skip :], max(0, self._to_skip - len(text))
        kind = self._group.destination
        if kind == "colors":
            self._tables.end_colors(text.count(";"))
        elif kind == "styles":
            self._tables.name_style(text)
        elif kind not in SILENT:
            self._bytes += text.encode("latin-1")

    def _byte(self, value: int) -> None:
        if self._group.destination == "styles":
            self._tables.name_style(bytes([value]).decode(WESTERN, "replace"))
        if self._group.destination in SILENT:
            return
        if self._tables.charsets.get(self._font()) == SYMBOL_CHARSET:
            self._add(_BULLET if value in _SYMBOL_BULLETS else "")
        else:
            self._bytes.append(value)

    def _word(self, word: str, value: int | None) -> None:
        self._flush()
        was_starred, self._is_starred = self._is_starred, False
        group = self._group
        if word == "nestrow":
            # It stands in a group of properties, where nothing else is to be read.
            self._story.end_nested_row()
        elif was_starred or word in DESTINATIONS or word == "ud":
            self._begin(word, was_starred=was_starred)
        elif group.destination in ("fonts", "colors", "styles"):
            self._tables.define(word, value)
        elif group.destination not in SILENT or word in ("ansicpg", "deff"):
            handler = self._words.get(word)
            if handler is not None:
                handler(value)
            elif word in _CHARACTERS:
                self._add(_CHARACTERS[word])
            else:
                self._format(word, value)

    def _begin(self, word: str, *, was_starred: bool) -> None:
        """Begin a group that is not plain text."""
        group = self._group
        if word == "ud":
            group.destination = group.outside
            return
        if group.destination == "skip":
            return
        kind = DESTINATIONS.get(word)
        if kind is None:
            if word not in ENTERED and was_starred:
                group.destination = "skip"
            return
        if word == "pict":
            self._sections.leave_out(_PICTURES)
        if word == "upr":
            group.outside = group.destination
        group.destination = kind
        if kind in STORIES:
            self._stories.append((len(self._groups), Story(kind)))

    def _format(self, word: str, value: int | None) -> None:
        group, is_on = self._group, value != 0
        if word in SWITCHES:
            setattr(group, SWITCHES[word], is_on)
        elif word in NUMBERS and value is not None:
            setattr(group, NUMBERS[word], value)
        elif word in ("dbch", "loch", "hich"):
            group.is_east_asian = word == "dbch"
        elif word in _CELL_BACKGROUNDS:
            self._is_row_filled |= bool(value)
        elif word == "ansicpg":
            self._tables.page = code_page(value)
        elif word in _CODE_PAGES:
            self._tables.page = _CODE_PAGES[word]
        elif word == "deff":
            self._default_font = value

    def _begin_row(self) -> None:
        self._is_row_filled = False

    def _unicode(self, value: int | None) -> None:
        if value is not None:
            code = value % 0x10000
            # The symbol fonts' characters are in the private use area.
            is_symbol = 0xF000 <= code <= 0xF0FF  # noqa: PLR2004
            bullet = _BULLET if code & 0xFF in _SYMBOL_BULLETS else ""
            self._add(bullet if is_symbol else chr(code))
        self._to_skip = self._group.skip_after

    def _font(self) -> int:
        group = self._group
        font = group.east_asian_font if group.is_east_asian else group.font
        font = group.font if font is None else font
        return (self._default_font or 0) if font is None else font

    def _flush(self) -> None:
        """Turn the bytes gathered so far into text."""
        if self._bytes:
            text = self._bytes.decode(self._tables.encoding(self._font()), "replace")
            self._bytes.clear()
            self._add(text)

    def _add(self, text: str) -> None:
        self._flush()
        group, story = self._group, self._story
        if group.destination in SILENT or not text:
            return
        if group.destination == "mark":
            story.add_mark(text)
            return
        is_filled = group.is_paragraph_filled or (group.is_in_table and self._is_row_filled)
        look = group.look(self._tables.colors)
        kind = look.hidden_kind(is_filled=is_filled or story.kind == "box")
        if group.is_deleted:
            kind = "deleted_text"
        if kind is not None and text.strip():
            self._sections.hide(kind, text)
        elif kind is None:
            story.add(text, is_bold=group.is_bold, half_points=group.half_points)

    def _end_paragraph(self) -> None:
        group = self._group
        level = group.level if group.level is not None else self._tables.levels.get(group.style)
        level = level if level is not None and 0 <= level < BODY_LEVEL else None
        self._story.end_paragraph(level, is_in_table=group.is_in_table)

    def _end_story(self, story: Story) -> None:
        """Put what stood apart where it belongs."""
        text = story.text()
        if story.kind == "title":
            self._title = text
        elif story.kind == "metadata":
            self._sections.findings.hide("metadata", 0, text)
        elif story.kind == "comment":
            self._sections.hide("comment", text)
        elif story.kind == "class":
            self._sections.leave_out(_EMBEDDED, text)
        elif story.kind == "margin":
            self._margins.append(text)
        elif text:
            self._story.after.append(text)
