"""RTF as tokens, and the encodings its fonts stand for.

Each character is looked at once, whatever is in the file.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)"
    r"|[\r\n]+|\\",
    re.DOTALL,
)
SYMBOL_CHARSET = 2
WESTERN = "cp1252"
_CHARSETS = {
    77: "mac_roman", 78: "cp932", 79: "cp949", 80: "cp936", 81: "cp950", 83: "cp1255",
    84: "cp1256", 85: "mac_greek", 86: "mac_turkish", 87: "cp874", 88: "mac_latin2",
    89: "mac_cyrillic", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_CODE_PAGES = (
    437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 932, 936,
    949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258,
)  # fmt: skip
_UTF_8 = 65001

TokenKind = Literal["open", "close", "word", "text", "byte", "sign"]


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of RTF.

    Attributes:
        text: The control word, the text, or the sign after a backslash.
        value: The number after a control word, or the byte.
    """

    kind: TokenKind
    text: str = ""
    value: int | None = None


_OPEN = Token("open")
_CLOSE = Token("close")


def prepare() -> None:
    """Load every codec that may be needed, because a walled process cannot load one later."""
    for name in (*_CHARSETS.values(), *(f"cp{page}" for page in _CODE_PAGES)):
        codecs.lookup(name)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`, which holds a byte in each character; binary data is skipped."""
    place = 0
    while (found := _TOKEN.match(text, place)) is not None:
        place = found.end()
        word, number, byte, sign, brace, plain = found.groups()
        if word:
            value = int(number) if number else None
            if word == "bin":
                place += max(0, value or 0)
            else:
                yield Token("word", word, value)
        elif plain:
            yield Token("text", plain)
        elif brace:
            yield _OPEN if brace == "{" else _CLOSE
        elif byte:
            yield Token("byte", byte, int(byte, 16))
        elif sign:
            yield Token("sign", sign)


def code_page(number: int | None) -> str:
    """Return the encoding of a code page; an unknown one is taken for Western Europe's."""
    if number == _UTF_8:
        return "utf-8"
    return f"cp{number}" if number in _CODE_PAGES else WESTERN


def encoding_of(charset: int | None, page: str) -> str:
    """Return the encoding of a font's character set in a document with this code page."""
    return _CHARSETS.get(charset or 0, page)
