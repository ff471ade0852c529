"""Checks a written statement against the passage it was written from, by code and never by a model.

Numbers and names on the cited page are no measure of truth: a statement also has to keep who must
or may do what, negations, exceptions, conditions and limits, and may not add a cause, a duty or a
word of its own. The order of words is left free, because honest paraphrase changes it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.documents import phrasing as say
from app.documents.words import (
    ALL_STOP_WORDS,
    STOP_WORDS,
    UNKNOWN_LANGUAGE,
    content_stems,
    content_words,
    language_of,
    names,
    numbers,
    stem,
)

_FEWEST_WORDS = 4
_MOST_WORDS = 45
_NEW_WORDS_SHARE = 0.2
_USED_SHARE = 0.4
_SAME_SHARE = 0.8
_JOINED_SHARE = 0.15
_MOST_ABOUT_WORDS = 30
_UNIT = re.compile(r"(\d[\d.,]*)[\s-]*(%|€|\$|£|[^\W\d_]{3,})")
# Not the 2 of a name like DB2, which the rule for names looks at.
_FREE_NUMBER = re.compile(r"(?<![^\W\d_])(?<!\d)\d")
_CURRENCY = re.compile(r"([$€£])\s?(\d[\d.,]*)")
# Words a writer needs to put two facts into one sentence; they claim nothing.
_FREE_STEMS = frozenset(map(stem, ("allow", "include", "including", "cover", "within", "without")))


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement beside the sentences of its one passage."""

    statement: str
    passage: tuple[str, ...]
    language: str

    @property
    def evidence(self) -> str:
        """The passage as one text."""
        return " ".join(self.passage)

    def used_sentences(self) -> list[str]:
        """Return the sentences of the passage that the statement takes most of its words from."""
        said = set(content_stems(self.statement))
        used = []
        for sentence in self.passage:
            words = set(content_stems(sentence))
            if words and len(said & words) >= _USED_SHARE * len(words):
                used.append(sentence)
        return used or [max(self.passage, key=lambda item: len(said & set(content_stems(item))))]


def faults(statement: str, passage: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the reasons why `statement` may not stand; none means that it may."""
    claim = Claim(statement, tuple(passage), language)
    return tuple(reason for reason, is_so in _RULES if is_so(claim))


def about_faults(statement: str, begins: str, source: str, language: str) -> tuple[str, ...]:
    """Return the reasons why a sentence on the whole document may not stand.

    It has to begin with `begins` and a verb, hold no number, and take its words from `source`.
    """
    found = []
    well_formed = statement.startswith(begins + " ") and statement.endswith(".")
    if not well_formed or len(statement.split()) > _MOST_ABOUT_WORDS:
        found.append("form")
    if _FREE_NUMBER.search(statement):
        found.append("number")
    known = set(content_stems(source)) | say.ABOUT_STEMS
    said = content_stems(statement.removeprefix(begins))
    if sum(word not in known for word in said) > _NEW_WORDS_SHARE * len(said):
        found.append("new_words")
    if language != "de" and not names(statement.removeprefix(begins)) <= names(source):
        found.append("name")
    if _is_other_language(statement, language):
        found.append("language")
    if _repeats(statement, ""):
        found.append("loop")
    return tuple(found)


def says_the_same(first: str, second: str) -> bool:
    """Tell whether two statements share nearly all of their words."""
    one, other = set(content_stems(first)), set(content_stems(second))
    return len(one & other) >= _SAME_SHARE * len(one | other)


def is_looping(text: str) -> bool:
    """Tell whether the same four words in a row stand three times in `text`."""
    words = re.findall(r"\w+", text.lower())
    runs = [tuple(words[index : index + 4]) for index in range(len(words) - 3)]
    return any(runs.count(run) >= 3 for run in set(runs))  # noqa: PLR2004


def _has_bad_form(claim: Claim) -> bool:
    words = claim.statement.split()
    return not say.ENDS.search(claim.statement) or not _FEWEST_WORDS <= len(words) <= _MOST_WORDS


def _is_empty(claim: Claim) -> bool:
    return say.TALK.search(claim.statement) is not None and not say.TALK.search(claim.evidence)


def _has_new_number(claim: Claim) -> bool:
    return not numbers(claim.statement) <= numbers(claim.evidence)


def _has_new_name(claim: Claim) -> bool:
    if claim.language == "de":
        return False
    evidence = claim.evidence.lower()
    return any(name.lower() not in evidence for name in names(claim.statement))


def _has_no_verb(claim: Claim) -> bool:
    return claim.language == "en" and not say.VERB.search(claim.statement)


def _has_new_words(claim: Claim) -> bool:
    known = set(content_stems(claim.evidence)) | _FREE_STEMS
    said = content_stems(claim.statement)
    return sum(word not in known for word in said) > max(1, _NEW_WORDS_SHARE * len(said))


def _is_joined(claim: Claim) -> bool:
    """Tell whether a statement is made of several sentences: what such a join says, none does."""
    said = set(content_stems(claim.statement)) - _FREE_STEMS
    left = min(len(said - set(content_stems(sentence))) for sentence in claim.passage)
    return left > max(1, _JOINED_SHARE * len(said))


def _has_new_negation(claim: Claim) -> bool:
    said = say.NEGATION.search(claim.statement) or say.EXCEPTION.search(claim.statement)
    there = say.NEGATION.search(claim.evidence) or say.EXCEPTION.search(claim.evidence)
    return said is not None and there is None


def _loses(pattern: re.Pattern[str], *substitutes: re.Pattern[str]) -> Callable[[Claim], bool]:
    """Return the rule that a used sentence brings along what `pattern` finds in it."""

    def loses(claim: Claim) -> bool:
        if any(item.search(claim.statement) for item in (pattern, *substitutes)):
            return False
        return any(pattern.search(sentence) for sentence in claim.used_sentences())

    return loses


def _loses_scope(claim: Claim) -> bool:
    """Tell whether a rule about any of some things is said as if it held for everything."""
    said = set(content_stems(claim.statement))
    return any(
        stem(noun.lower()) not in said
        for sentence in claim.used_sentences()
        for noun in say.SCOPE.findall(sentence)
    )


def _has_new_duty(claim: Claim) -> bool:
    orders = any(say.ORDER.match(sentence) for sentence in claim.passage)
    for kind, pattern in say.DUTY.items():
        if pattern.search(claim.statement) and not pattern.search(claim.evidence):
            return not (kind == "must" and orders)
    return False


def _is_weaker(claim: Claim) -> bool:
    """Tell whether a duty became a permission."""
    may, must = say.DUTY["may"], say.DUTY["must"]
    if not may.search(claim.statement) or must.search(claim.statement):
        return False
    if say.NEGATION.search(claim.statement):
        return False
    used = claim.used_sentences()
    return any(must.search(item) for item in used) and not any(may.search(item) for item in used)


def _is_stronger(claim: Claim) -> bool:
    """Tell whether a permission, a possibility or an advice became a fact or a duty."""
    said = claim.statement
    for kind in ("may", "should"):
        pattern = say.DUTY[kind]
        used = claim.used_sentences()
        if pattern.search(said) or not any(pattern.search(item) for item in used):
            continue
        plain = [item for item in used if not pattern.search(item)]
        words = set(content_stems(said))
        from_plain = any(
            len(words & set(content_stems(item))) >= _USED_SHARE * len(words) for item in plain
        )
        if not from_plain:
            return True
    return False


def _has_new_link(claim: Claim) -> bool:
    link = say.LINK.get(claim.language, say.LINK["en"])
    return link.search(claim.statement) is not None and link.search(claim.evidence) is None


def _has_wrong_unit(claim: Claim) -> bool:
    said, there = _units(claim.statement), _units(claim.evidence)
    known = {number for number, _ in there}
    return any(unit not in there and unit[0] in known for unit in said)


def _units(text: str) -> set[tuple[str, str]]:
    after = {
        (number.rstrip(".,"), stem(word.lower()))
        for number, word in _UNIT.findall(text)
        if word.lower() not in ALL_STOP_WORDS
    }
    return after | {(number.rstrip(".,"), sign) for sign, number in _CURRENCY.findall(text)}


def _repeats(statement: str, evidence: str) -> bool:
    return bool(_twice(statement) - _twice(evidence))


def _twice(text: str) -> set[tuple[str, str, str]]:
    words = content_words(text)
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return {run for run in runs if runs.count(run) > 1}


def _is_other_language(statement: str, language: str) -> bool:
    return language in STOP_WORDS and language_of(statement) not in (language, UNKNOWN_LANGUAGE)


_RULES: tuple[tuple[str, Callable[[Claim], bool]], ...] = (
    ("form", _has_bad_form),
    ("empty", _is_empty),
    ("number", _has_new_number),
    ("unit", _has_wrong_unit),
    ("name", _has_new_name),
    ("no_verb", _has_no_verb),
    ("new_words", _has_new_words),
    ("joined", _is_joined),
    ("negation", _has_new_negation),
    ("negation_lost", _loses(say.NEGATION, say.EXCEPTION)),
    ("exception_lost", _loses(say.EXCEPTION)),
    ("condition_lost", _loses(say.CONDITION, say.CONDITION_SAID, say.EXCEPTION)),
    ("limit_lost", _loses(say.LIMIT)),
    ("scope_lost", _loses_scope),
    ("duty", _has_new_duty),
    ("weaker", _is_weaker),
    ("stronger", _is_stronger),
    ("link", _has_new_link),
    ("loop", lambda claim: _repeats(claim.statement, claim.evidence)),
    ("language", lambda claim: _is_other_language(claim.statement, claim.language)),
)
