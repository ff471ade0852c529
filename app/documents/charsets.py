"""Encodings that a document names itself, as web pages and mail do."""

import codecs
import encodings.aliases

# What is no way to write text, or takes quadratic time to read.
_NEVER = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"))
# What programs write and Python does not know.
_WESTERN = "cp1252"
_ALSO = {
    "x-sjis": "cp932",
    "shift-jis": "cp932",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-1": _WESTERN,
    "latin1": _WESTERN,
    "us-ascii": _WESTERN,
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
    "ascii": _WESTERN,
    "windows-1252": _WESTERN,
    "unicode-1-1-utf-8": "utf-8",
}


def prepare() -> None:
    """Load every encoding, because a walled process cannot load one later."""
    for name in {*encodings.aliases.aliases.values(), *_ALSO.values()}:
        _found(name)


def decoded(data: bytes, charset: str) -> str | None:
    """Return `data` as text in the encoding it names, or None where it is not in that encoding."""
    name = charset.strip().strip("'\"").lower()
    if _ALSO.get(name, name) == _WESTERN:
        return _western(data)
    found = _found(_ALSO.get(name, name))
    if found is None or found.name in _NEVER:
        return None
    try:
        return data.decode(found.name)
    except (UnicodeDecodeError, LookupError):
        return None


def _western(data: bytes) -> str:
    """Return what is called Western: much of it is UTF-8 with a label that was never changed."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_WESTERN, "replace")


def _found(name: str) -> codecs.CodecInfo | None:
    # One that was not loaded in time cannot be opened behind the walls: OSError.
    try:
        return codecs.lookup(name)
    except (LookupError, ValueError, OSError):
        return None
