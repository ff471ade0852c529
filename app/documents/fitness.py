"""Says whether a sentence can stand alone in a summary, and if not, why not.

Complete, running text, and no caption, reference, heading, formula or row of a table. Each rule is
the answer to junk that was once shown to a reader as a salient sentence.
"""

import re
from collections.abc import Callable

from app.documents.sentences import Sentence
from app.documents.tidying import LIST_MARK
from app.documents.words import STOP_WORDS

_FEWEST_WORDS = 7
_FEWEST_WORDS_LOOSE = 4
_MOST_WORDS = 60
_MOST_CHARS = 420
_LEAST_ALPHABETIC = 0.75
_LEAST_STOP_WORDS = 0.2
_MOST_CAPITALISED = {"de": 0.8}
_MOST_CAPITALISED_ELSEWHERE = 0.6
_MOST_SINGLE_LETTERS = 2

_ENDS = re.compile(r"[.!?][\"”’»)]?$")
_STARTS = re.compile(r"[\"“„‚«(]?[^\W_]")
_ALPHABETIC = re.compile(r"[\"“„‚«(]?[^\W\d_]")
_SINGLE_LETTER = re.compile(r"[(\[{]?[^\WaAIiOo\d_][)\]},.;:]*")
_CAPTION = re.compile(
    r"\b(Figure|Table|Fig\.|Abbildung|Tabelle|Abb\.|Tab\.|Example|Exhibit|Beispiel|Bemerkung|"
    r"Definition|Satz|Listing) [\d.-]+[:.]? [A-Z(]|^(Example|Chapter|Kapitel) \d"
    r"|^(?i:figure|fig\.|table|tabelle|abbildung|note:|example|beispiel)"
)
_REFERENCE = re.compile(
    r"https?:|www\.|\S@\S|©|copyright (\d|\(c\))|all rights reserved|\b(ISBN|ISSN|doi|et al)\b"
    r"|^(see |siehe |vgl\. |for (more|details|further)|refer to |click here|this page (was|is) )"
    r"|, refer to \w|[0-9a-f]{8}-[0-9a-f]{4}|\bretrieved \d",
    re.I,
)
_FORMULA = re.compile(r"[=≤≥∈⊆⊂→⇒∀∃∑∫√≈±]|[{}\\|<>]{2}|\ufffd")
# What a formula on a line of its own leaves behind: "3 is a regular surface".
_FORMULA_REST = re.compile(
    r"\b[A-Z] \d\b(?! %)|\d\s[^\W\dA-ZÄÖÜ]{1,3}\d?\s|[A-Z]\. [a-z]\. [A-Z]\."
)
# An exponent that lost its height: "in R 3 is".
_LOST_EXPONENT = re.compile(r"(?<![\w-])[A-Z] \d\b(?![.,\d%])")
_BLANK = re.compile(r"_{3,}|\.{4,}|\[\s*\]|\$\s*(\.|,|$)")
_TABLE_ROW = re.compile(r"[A-Z][A-Z0-9_]{2,}(:| [A-Z]{3,}\(| [A-Z]+ [A-Z][a-z])")
_GLUED = re.compile(r"[a-zà-ÿ]{3}[.!?][A-ZÄÖÜ][a-zà-ÿ]|\w{32,}")


def why_unfit(sentence: Sentence, language: str, *, is_loose: bool = False) -> str | None:
    """Return the reason why `sentence` cannot be shown alone, or None when it can.

    `is_loose` lets short lines without a full stop pass, for documents that have little else.
    """
    text = LIST_MARK.sub("", sentence.text)
    words = text.split()
    if sentence.is_back_matter or sentence.is_cut:
        return "cut" if sentence.is_cut else "back_matter"
    fewest = _FEWEST_WORDS_LOOSE if is_loose else _FEWEST_WORDS
    if not fewest <= len(words) <= _MOST_WORDS or len(text) > _MOST_CHARS:
        return "length"
    if not _starts_and_ends(text, is_loose=is_loose):
        return "fragment"
    return next((reason for reason, is_so in _RULES if is_so(text, words)), None) or (
        _not_prose(words, language, is_loose=is_loose)
    )


def _starts_and_ends(text: str, *, is_loose: bool) -> bool:
    start = _STARTS.match(text)
    if not start or start[0][-1].islower() or _FORMULA_REST.match(text):
        return False
    return not text.endswith("?") and (is_loose or _ENDS.search(text) is not None)


def _not_prose(words: list[str], language: str, *, is_loose: bool) -> str | None:
    if sum(_ALPHABETIC.match(word) is not None for word in words) < _LEAST_ALPHABETIC * len(words):
        return "numbers"
    if sum(_SINGLE_LETTER.fullmatch(word) is not None for word in words) > _MOST_SINGLE_LETTERS:
        return "formula"
    most = _MOST_CAPITALISED.get(language, _MOST_CAPITALISED_ELSEWHERE)
    if sum(word[:1].isupper() for word in words) > most * len(words):
        return "title"
    stop_words = STOP_WORDS.get(language)
    if stop_words and not is_loose:
        stops = sum(word.lower().strip(',.;:()"“”') in stop_words for word in words)
        if stops < _LEAST_STOP_WORDS * len(words):
            return "not_running_text"
    return None


def _is_unbalanced(text: str, _: list[str]) -> bool:
    # German opens low and closes high, and sets of fonts mix the high marks: one may be left over.
    quotes = text.count("“") + text.count("„") - text.count("”")
    return text.count("(") != text.count(")") or (quotes > 1 and "„" not in text)


_RULES: tuple[tuple[str, Callable[[str, list[str]], bool]], ...] = (
    ("unbalanced", _is_unbalanced),
    ("caption", lambda text, _: _CAPTION.search(text) is not None),
    ("reference", lambda text, _: _REFERENCE.search(text) is not None),
    ("formula", lambda text, _: _FORMULA.search(text) is not None),
    ("formula", lambda text, _: _LOST_EXPONENT.search(text) is not None),
    ("blank", lambda text, _: _BLANK.search(text) is not None),
    ("table_row", lambda text, _: _TABLE_ROW.match(text) is not None),
    ("glued", lambda text, _: _GLUED.search(text) is not None),
)
