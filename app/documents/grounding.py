"""Whether an answer rests on passages, and on which of their sentences; by code, never by a model.

A model's own numbers in brackets are worth nothing: they are often made up. What an answer says
beyond the words of the question has to be found again in one or two sentences of the passages.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.checking import faults, is_looping
from app.documents.retrieval import Passage
from app.documents.words import UNKNOWN_LANGUAGE, content_stems, language_of, numbers

_MOST_SOURCES = 2
# A second sentence has to bring more than a word that it shares by chance.
_FEWEST_NEW = 2
# An answer of which less stands in its sources took the rest from the question alone.
_LEAST_SHARE = 0.5
# Rules for statements that an honest answer breaks: it may join what the question asks for.
_FREE_FAULTS = frozenset(("link", "empty", "scope_lost", "no_verb"))
_FROM_QUESTION = ("number", "name", "new_words", "unit", "negation", "duty")
_BLANK = re.compile(r"_{2,}|\.{4,}")
_INVENTED_MARK = re.compile(
    r"\s*[\[(](?:(?:passage|source|stelle|textstelle)\s*)?\d{1,2}[\])](?=\W|$)", re.I
)
_INTRODUCTION = re.compile(
    r"^(?:According to (?:the )?passages?(?: \(?\d+\)?)?|Laut (?:den )?Textstellen?(?: \(?\d+\)?)?"
    r"|The passages? (?:states?|says?)(?: that)?),? +(.)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence that an answer rests on, and the passage that it stands in."""

    passage: Passage
    sentence: str


def cleaned(answer: str) -> str:
    """Return an answer without marks that the model made up and without an introduction."""
    text = _INVENTED_MARK.sub("", answer).strip()
    return _INTRODUCTION.sub(lambda found: found[1].upper(), text)


def sources_of(answer: str, question: str, passages: Sequence[Passage]) -> tuple[Source, ...]:
    """Return the sentences of one passage that share most with what `answer` says.

    What the question says already counts less. All come from one passage: an answer that is joined
    from two places is false more often than not. The second sentence is there only where it has
    words or numbers of the answer that the first has not.
    """
    asked, whole = set(content_stems(question)), set(content_stems(answer))
    best: tuple[Source, ...] = ()
    best_score = (0, 0)
    for passage in passages:
        found = _within(passage, whole - asked, numbers(answer) - numbers(question), whole)
        covered = {word for one in found for word in content_stems(one.sentence)}
        figures = {number for one in found for number in numbers(one.sentence)}
        score = (
            len((whole - asked) & covered) + 2 * len(numbers(answer) & figures),
            len(whole & covered),
        )
        if score > best_score:
            best, best_score = found, score
    return best


def _within(
    passage: Passage, wanted: set[str], wanted_numbers: frozenset[str], whole: set[str]
) -> tuple[Source, ...]:
    found: list[Source] = []
    for _ in range(_MOST_SOURCES):
        best, best_score = None, (0, 0, 0)
        for sentence in passage.sentences:
            words = set(content_stems(sentence))
            new = len(wanted & words) + 2 * len(wanted_numbers & numbers(sentence))
            score = (new, len(whole & words), -len(words))
            # What says nothing beyond the question, as "Yes, …" does, is borne by what shares most.
            counts = new >= (_FEWEST_NEW if found else 1) or (
                not found and not wanted and not wanted_numbers
            )
            if counts and score[:2] > (0, 0) and score > best_score:
                best, best_score = sentence, score
        if best is None:
            break
        found.append(Source(passage, best))
        wanted = wanted - set(content_stems(best))
        wanted_numbers = wanted_numbers - numbers(best)
        if not wanted and not wanted_numbers:
            break
    return tuple(found)


def answer_faults(
    answer: str, question: str, sources: Sequence[Source], language: str
) -> tuple[str, ...]:
    """Return the reasons why an answer may not stand over these sources; none means that it may."""
    if not sources:
        return ("no_source",)
    if _BLANK.search(answer) or any(_is_blank_for(answer, one.sentence) for one in sources):
        return ("blank",)
    if is_looping(answer):
        return ("loop",)
    said = set(content_stems(answer))
    there = {word for one in sources for word in content_stems(one.sentence)}
    if len(said & there) < _LEAST_SHARE * len(said):
        return ("far",)
    sentences = tuple(one.sentence for one in sources)
    spoken = language_of(" ".join(sentences))
    spoken = spoken if spoken != UNKNOWN_LANGUAGE else language
    found = faults(answer, sentences, spoken)
    # A word or number may come from the question; nothing else is excused by it.
    with_question = faults(answer, (*sentences, question), spoken)
    excused = {one for one in _FROM_QUESTION if one not in with_question}
    if any(answer.rstrip(".") in sentence for sentence in sentences):
        excused.add("form")
    return tuple(one for one in found if one not in _FREE_FAULTS | excused)


def _is_blank_for(answer: str, sentence: str) -> bool:
    """Tell whether what the answer gives is left open in the sentence, as in a form."""
    return _BLANK.search(sentence) is not None and not numbers(answer)
