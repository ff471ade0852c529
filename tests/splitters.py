"""How texts are cut before byte pairs are merged, written by hand from the published patterns.

They walk through a text character by character, so they share no regular expression engine with the
`tokenizers` library that the written tokenizers run in.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator

SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    map(chr, range(0x2000, 0x200B))
)

Splitter = Callable[[str], Iterable[str]]
Accepts = Callable[[str], bool]
Matcher = Callable[[str, int], int]
"""Returns where a match at a position ends; the position itself where there is none."""

_CONTRACTIONS = ("s", "t", "re", "ve", "m", "ll", "d")
# The letters of DeepSeek's pattern that the tests draw, and some neighbors that are not in it.
_DEEPSEEK_RANGES = (
    (0x41, 0x5A),
    (0x61, 0x7A),
    (0xB5, 0xB5),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x1BA),
    (0x1BC, 0x1BF),
    (0x1C4, 0x293),
    (0x3A3, 0x3F5),
    (0x3F7, 0x481),
    (0x48A, 0x52F),
    (0x212A, 0x212D),
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
    (0x10400, 0x1044F),
)
DEEPSEEK_LETTERS = "azAZ\u00b5\u00e9\u0178\u01bc\u03a3\u0424\u212a\uff21\U00010400"
"""What may be drawn for DeepSeek's pattern, beside all that is no letter with two cases."""


def is_letter(char: str) -> bool:
    return unicodedata.category(char).startswith("L")


def is_number(char: str) -> bool:
    return unicodedata.category(char).startswith("N")


def is_other(char: str) -> bool:
    return not (char in SPACES or is_letter(char) or is_number(char))


def _is_capital(char: str) -> bool:
    return unicodedata.category(char) in {"Lu", "Lt", "Lm", "Lo", "Mn", "Mc", "Me"}


def _is_small(char: str) -> bool:
    return unicodedata.category(char) in {"Ll", "Lm", "Lo", "Mn", "Mc", "Me"}


def _run_end(text: str, at: int, accepts: Accepts) -> int:
    while at < len(text) and accepts(text[at]):
        at += 1
    return at


def _contraction_end(text: str, at: int, *, any_case: bool) -> int:
    if text[at : at + 1] != "'":
        return at
    rest = text[at + 1 : at + 3]
    if any_case:
        rest = rest.lower().replace("\u017f", "s")  # the long s is an s in another case
    ends = [at + 1 + len(each) for each in _CONTRACTIONS if rest.startswith(each)]
    return ends[0] if ends else at


def _spaces_end(text: str, at: int) -> int:
    """`\\s+(?!\\S)|\\s+`: a run leaves its last character to the word behind it."""
    end = _run_end(text, at, SPACES.__contains__)
    return end - 1 if end < len(text) and end - at > 1 else end


def _lines_end(text: str, at: int) -> int:
    """`\\s*[\\r\\n]+`, and then as `_spaces_end`."""
    end = _run_end(text, at, SPACES.__contains__)
    lines = max(text.rfind("\n", at, end), text.rfind("\r", at, end)) + 1
    return lines if lines > at else _spaces_end(text, at)


def _gpt2_end(text: str, start: int) -> int:
    at = _contraction_end(text, start, any_case=False)
    for accepts in (is_letter, is_number, is_other):
        if at == start:
            begin = start + (text[start] == " ")
            end = _run_end(text, begin, accepts)
            at = end if end > begin else start
    return at if at > start else _spaces_end(text, start)


def gpt2(text: str) -> Iterator[str]:
    yield from _isolated([text], _gpt2_end)


def smollm(text: str) -> Iterator[str]:
    at = 0
    for index, char in enumerate(text):
        if is_number(char):
            yield from gpt2(text[at:index])
            yield char
            at = index + 1
    yield from gpt2(text[at:])


def modern(text: str, *, digits: int) -> Iterator[str]:
    def end(text: str, start: int) -> int:
        if (at := _contraction_end(text, start, any_case=True)) > start:
            return at
        begin = start + _is_prefix(text[start])
        if (at := _run_end(text, begin, is_letter)) > begin:
            return at
        return _tail_end(text, start, digits=digits, closing="\r\n")

    yield from _isolated([text], end)


def cased(text: str, *, digits: int, contractions: bool) -> Iterator[str]:
    def end(text: str, start: int) -> int:
        if (at := _cased_word_end(text, start)) > start:
            return _contraction_end(text, at, any_case=True) if contractions else at
        return _tail_end(text, start, digits=digits, closing="\r\n/")

    yield from _isolated([text], end)


def _cased_word_end(text: str, start: int) -> int:
    begins = [start + 1, start] if _is_prefix(text[start]) else [start]
    for begin in begins:
        if (end := _small_word_end(text, begin)) > begin:
            return end
    for begin in begins:
        capitals = _run_end(text, begin, _is_capital)
        if capitals > begin:
            return _run_end(text, capitals, _is_small)
    return start


def _small_word_end(text: str, begin: int) -> int:
    """`U*L+`: capitals, as many as leave a small letter or what counts as both."""
    for cut in range(_run_end(text, begin, _is_capital), begin - 1, -1):
        if (end := _run_end(text, cut, _is_small)) > cut:
            return end
    return begin


def _is_prefix(char: str) -> bool:
    return char not in "\r\n" and not is_letter(char) and not is_number(char)


def _tail_end(text: str, start: int, *, digits: int, closing: str) -> int:
    if is_number(text[start]):
        return min(_run_end(text, start, is_number), start + digits)
    begin = start + (text[start] == " ")
    if (end := _run_end(text, begin, is_other)) > begin:
        return _run_end(text, end, closing.__contains__)
    return _lines_end(text, start)


def default(text: str) -> Iterator[str]:
    pieces = _isolated([text], _runs(_is_punctuation))
    pieces = _isolated(pieces, _gpt2_end)
    pieces = _isolated(pieces, _runs(is_number))
    yield from _isolated(pieces, _three_digits)


def deepseek(text: str) -> Iterator[str]:
    pieces = _isolated([text], lambda text, at: at + (text[at] in "\r\n"))
    pieces = _isolated(pieces, _runs(_is_deepseek_letter, space=True))
    pieces = _isolated(pieces, _runs(_is_deepseek_mark, space=True))
    pieces = _isolated(pieces, _last_spaces)
    pieces = _isolated(pieces, _runs(_is_east_asian))
    yield from _isolated(pieces, _runs(is_number))


def _isolated(pieces: Iterable[str], matcher: Matcher) -> Iterator[str]:
    """Cut pieces around every match; what lies between matches stays whole."""
    for piece in pieces:
        begin = at = 0
        while at < len(piece):
            end = matcher(piece, at)
            if end > at:
                if at > begin:
                    yield piece[begin:at]
                yield piece[at:end]
                begin = at = end
            else:
                at += 1
        if begin < len(piece):
            yield piece[begin:]


def _runs(accepts: Accepts, *, space: bool = False) -> Matcher:
    def end(text: str, at: int) -> int:
        begin = at + (space and text[at] in SPACES)
        found = _run_end(text, begin, accepts)
        return found if found > begin else at

    return end


def _three_digits(text: str, at: int) -> int:
    return at + 3 if all(char in "0123456789" for char in text[at : at + 3].ljust(3)) else at


def _last_spaces(text: str, at: int) -> int:
    end = _run_end(text, at, SPACES.__contains__)
    return end if end == len(text) else at


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P") or char in "$+<=>^~|"


def _is_deepseek_letter(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _DEEPSEEK_RANGES)


def _is_deepseek_mark(char: str) -> bool:
    return (
        "!" <= char <= "/"
        or ":" <= char <= "~"
        or "\uff01" <= char <= "\uff0f"
        or "\uff1a" <= char <= "\uff5e"
        or "\u2018" <= char <= "\u201f"
        or "\u3000" <= char <= "\u3002"
    )


def _is_east_asian(char: str) -> bool:
    return "\u0800" <= char <= "\u9fa5" or "\uac00" <= char <= "\ud7ff"


SPLITTERS: dict[str, Splitter] = {
    "gpt-2": gpt2,
    "smollm": smollm,
    "qwen2": lambda text: modern(text, digits=1),
    "llama-bpe": lambda text: modern(text, digits=3),
    "dbrx": lambda text: modern(text, digits=3),
    "tekken": lambda text: cased(text, digits=1, contractions=False),
    "gpt-4o": lambda text: cased(text, digits=3, contractions=True),
    "default": default,
    "deepseek-llm": deepseek,
}
