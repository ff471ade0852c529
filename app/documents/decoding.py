"""Turns the bytes of a text file into text, whatever encoding it was saved in.

A byte order mark decides; without one the zeros of UTF-16 and UTF-32 do, then valid UTF-8. Only
what is left over is guessed, by charset-normalizer and among the encodings offices really used: an
open choice of all it knows picks exotic ones for short texts.
"""

import codecs
import re

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WESTERN = "cp1252"
_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp850", "cp866",
    "koi8_r", "mac_roman", "cp932", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "cp949",
    "iso8859_2", "iso8859_5", "iso8859_15",
]  # fmt: skip
_SAMPLE_BYTES = 64 * 1024
# Below this a guess says nothing; Western Europe is where most such files come from.
_SHORTEST_GUESS_BYTES = 32
_WIDE_SAMPLE_BYTES = 2048
# Of the high bytes of UTF-16 in a European language nearly all are zero.
_MOSTLY = 0.6


def prepare() -> None:
    """Load every codec that may be needed, because a walled process cannot load one later."""
    for name in (*_CANDIDATES, "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
                 "utf-32-le", "utf-32-be"):  # fmt: skip
        codecs.lookup(name)
    from_bytes("Grüße aus Köln, schöne Tage".encode(_WESTERN), cp_isolation=_CANDIDATES).best()


def decode(data: bytes) -> str:
    """Return the text in `data`; bytes that fit nothing become U+FFFD."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    wide = _wide_encoding(data[:_WIDE_SAMPLE_BYTES])
    if wide:
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guess(data), "replace")


def has_wide_encoding(head: bytes) -> bool:
    """Tell whether `head` begins a text of two or four bytes a character."""
    marked = any(head.startswith(mark) for mark, _ in _MARKS[1:])
    return marked or _wide_encoding(head[:_WIDE_SAMPLE_BYTES]) is not None


def _wide_encoding(sample: bytes) -> str | None:
    """Return the encoding that the places of the zero bytes give away."""
    if not sample or b"\x00" not in sample:
        return None
    for width, name in ((4, "utf-32"), (2, "utf-16")):
        usable = sample[: len(sample) // width * width]
        zeros = [usable[i::width].count(0) * width / max(1, len(usable)) for i in range(width)]
        for order, last in (("le", 0), ("be", width - 1)):
            others = [share for i, share in enumerate(zeros) if i != last]
            if min(others) > _MOSTLY and zeros[last] < 1 - _MOSTLY:
                return f"{name}-{order}"
    return None


def _guess(data: bytes) -> str:
    foreign = re.findall(rb"[^\n]*[\x80-\xff][^\n]*", data[: 16 * _SAMPLE_BYTES])
    sample = b"\n".join(foreign)[:_SAMPLE_BYTES]
    if len(sample) < _SHORTEST_GUESS_BYTES:
        return _WESTERN
    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    return best.encoding if best else _WESTERN
