"""The tables at the head of an RTF file: fonts with their encodings, colors, styles of headings."""

from dataclasses import dataclass, field

from app.documents.formats.rtf_tokens import WESTERN, encoding_of
from app.documents.formats.word_styles import level_named

BODY_LEVEL = 9
_LONGEST_NAME = 200
_RGB = ("red", "green", "blue")
_OTHER_STYLES = ("cs", "ds", "ts")


@dataclass(slots=True)
class Tables:
    """What the head of a file defines.

    Attributes:
        page: The encoding of text in fonts that say nothing about it.
        charsets: Windows' number of the character set, by font.
        colors: As `RRGGBB`, or `auto`.
        levels: Of styles of headings, 0 the outermost, by number of the style.
    """

    page: str = WESTERN
    charsets: dict[int, int] = field(default_factory=dict)
    colors: list[str] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)
    _font: int = 0
    _style: int | None = 0
    _name: str = ""
    _rgb: dict[str, int] = field(default_factory=dict)

    def define(self, word: str, value: int | None) -> None:
        """Take a control word of one of the tables."""
        if word in _RGB:
            self._rgb[word] = min(max(value or 0, 0), 255)
        elif word == "f" and value is not None:
            self._font = value
        elif word == "fcharset" and value is not None:
            self.charsets[self._font] = value
        elif word == "s":
            self._style = value
        elif word in _OTHER_STYLES:
            self._style = None
        elif word == "outlinelevel" and self._style is not None and value is not None:
            self.levels[self._style] = value

    def end_colors(self, count: int) -> None:
        """Take that `count` colors are complete; one that says nothing is the usual one."""
        for _ in range(count):
            values = [self._rgb.get(name, 0) for name in _RGB]
            self.colors.append("".join(f"{value:02X}" for value in values) if self._rgb else "auto")
            self._rgb = {}

    def name_style(self, text: str) -> None:
        """Take a piece of a style's name; a semicolon ends the style."""
        self._name = f"{self._name}{text}"[:_LONGEST_NAME]
        if ";" not in text:
            return
        level = level_named(self._name.partition(";")[0])
        if level is not None and self._style is not None:
            self.levels.setdefault(self._style, level)
        self._name, self._style = "", 0

    def encoding(self, font: int) -> str:
        """Return the encoding of text in `font`."""
        return encoding_of(self.charsets.get(font), self.page)
