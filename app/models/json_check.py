"""Says whether a large file is JSON, without making anything of it.

The standard library's reader keeps the interpreter's lock for as long as a vocabulary of 30 MB
takes, and the window would stand still. Here regular expressions take a few hundred items at a time
(RFC 8259), in little memory.
"""

import codecs
import re

from inference.errors import ModelDamaged

_DEEPEST = 100
_CHUNK_BYTES = 1 << 20
_SPACE = rb"[ \t\r\n]*+"
_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_SCALAR = (
    rb"(?:" + _STRING + rb"|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
    rb"|true|false|null)"
)
_COMMA = _SPACE + rb"," + _SPACE
_KEY = _STRING + _SPACE + rb":" + _SPACE
_BLANK = re.compile(_SPACE)
_ONE_SCALAR = re.compile(_SCALAR + _SPACE)
_ONE_KEY = re.compile(_KEY)
_PAIRS = re.compile(rb"(?:" + _KEY + _SCALAR + _COMMA + rb"){1,256}+")
_PAIR_OF_A_MERGE = rb"\[" + _SPACE + _STRING + _COMMA + _STRING + _SPACE + rb"\]"
_ITEMS = re.compile(
    rb"(?:(?:" + _SCALAR + rb"|" + _PAIR_OF_A_MERGE + rb")" + _COMMA + rb"){1,256}+"
)
_OBJECT, _ARRAY = ord("{"), ord("[")
_ENDS = {_OBJECT: ord("}"), _ARRAY: ord("]")}
_COMMA_BYTE = ord(",")


def check(body: bytes, file_name: str) -> None:
    """Raise ModelDamaged unless `body` is one JSON value in UTF-8."""
    try:
        _check_text(body)
        _Reader(body).read()
    except ValueError as error:
        raise ModelDamaged(file=file_name, reason="not JSON") from error


def _check_text(body: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(body), _CHUNK_BYTES):
        decoder.decode(body[start : start + _CHUNK_BYTES])
    decoder.decode(b"", final=True)


class _Reader:
    """Moves through one text; `_open` has the brackets that are not closed yet."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0
        self._open: list[int] = []

    def read(self) -> None:
        self._skip(_BLANK)
        self._value()
        while self._open:
            self._next()
        if self._at != len(self._body):
            raise ValueError("more than one value")

    def _value(self) -> None:
        """Read a scalar, or the beginning of an object or array with its first item."""
        while (bracket := self._here()) in _ENDS:
            self._at += 1
            self._open.append(bracket)
            if len(self._open) > _DEEPEST:
                raise ValueError("nested too deeply")
            self._skip(_BLANK)
            if self._here() == _ENDS[bracket]:
                self._close()
                return
            self._before_value()
        self._demand(_ONE_SCALAR)

    def _before_value(self) -> None:
        """Read items as long as they are plain, and the key of the next one."""
        is_object = self._open[-1] == _OBJECT
        while self._skip(_PAIRS if is_object else _ITEMS):
            pass
        if is_object:
            self._demand(_ONE_KEY)

    def _next(self) -> None:
        """Read what follows an item: the end, or a comma and more items."""
        found = self._here()
        if found == _ENDS[self._open[-1]]:
            self._close()
        elif found == _COMMA_BYTE:
            self._at += 1
            self._skip(_BLANK)
            self._before_value()
            self._value()
        else:
            raise ValueError("no comma")

    def _close(self) -> None:
        self._open.pop()
        self._at += 1
        self._skip(_BLANK)

    def _here(self) -> int:
        return self._body[self._at] if self._at < len(self._body) else -1

    def _skip(self, pattern: re.Pattern[bytes]) -> bool:
        """Move past what matches; return whether something did."""
        found = pattern.match(self._body, self._at)
        if found is None or found.end() == self._at:
            return False
        self._at = found.end()
        return True

    def _demand(self, pattern: re.Pattern[bytes]) -> None:
        if not self._skip(pattern):
            raise ValueError("something else was expected")
