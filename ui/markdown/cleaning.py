"""Takes out of a text what must not reach a screen, and keeps every line where it is.

Only what is displayed is cleaned; what is copied is the text itself. No rule looks across a line
end, so that cleaning a line never changes another one.
"""

import re
import unicodedata

_LONGEST_RUN = 2_000
_RUN_STEP = 200
_MOST_MARKS = 8

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILED_MARKS = re.compile(f"({_MARKS}{{{_MOST_MARKS}}}){_MARKS}+")
_RUNS = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}")


def clean(text: str) -> str:
    """Return `text` for display, with the same line ends.

    Escape sequences and control characters go. Characters that turn the reading direction round
    become visible, because they can make a text read as another one. Piles of accents are cut, and
    long runs without a space get places to break, without which laying them out takes seconds.
    """
    text = _ESCAPES.sub("", text)
    text = _CONTROLS.sub("", text)
    text = _DIRECTIONS.sub(lambda match: f"‹U+{ord(match[0]):04X}›", text)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    text = _PILED_MARKS.sub(r"\1", text)
    return _RUNS.sub(_with_breaks, text)


def _with_breaks(match: re.Match[str]) -> str:
    run = match[0]
    return "\u200b".join(run[at : at + _RUN_STEP] for at in range(0, len(run), _RUN_STEP))
