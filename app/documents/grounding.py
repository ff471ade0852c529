"""Whether an answer rests on passages, and on which of their sentences; by code, never by a model.

A model's own numbers in brackets are worth nothing: they are often made up. What an answer says
beyond the words of the question has to be found again in one or two sentences of the passages.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.documents.checking import faults, is_looping
from app.documents.retrieval import Passage
from app.documents.words import content_stems, language_of, numbers

_MOST_SOURCES = 2
# Rules for statements that an honest answer breaks: it may join what the question asks for.
_FREE_FAULTS = frozenset(("link", "empty", "scope_lost", "no_verb"))
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
    """Return the sentences that share most with what `answer` says beyond the question.

    The second is there only where it has words or numbers of the answer that the first has not.
    """
    asked, asked_numbers = set(content_stems(question)), numbers(question)
    wanted = set(content_stems(answer)) - asked
    wanted_numbers = numbers(answer) - asked_numbers
    whole = set(content_stems(answer))
    candidates = [
        Source(passage, sentence) for passage in passages for sentence in passage.sentences
    ]
    found: list[Source] = []
    for _ in range(_MOST_SOURCES):
        best, best_score = None, (0, 0, 0)
        for candidate in candidates:
            words = set(content_stems(candidate.sentence))
            new = len(wanted & words) + 2 * len(wanted_numbers & numbers(candidate.sentence))
            score = (new, len(whole & words), -len(words))
            if new and score > best_score:
                best, best_score = candidate, score
        if best is None:
            break
        found.append(best)
        wanted -= set(content_stems(best.sentence))
        wanted_numbers -= numbers(best.sentence)
    if not found and candidates and not wanted and not wanted_numbers:
        # It says nothing beyond the question, as "Yes, …" does: what shares most bears it.
        found = [max(candidates, key=lambda one: _shared(one.sentence, whole))]
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
    passage = (*(one.sentence for one in sources), question)
    is_copied = any(answer.rstrip(".") in one.sentence for one in sources)
    spoken = language_of(" ".join(one.sentence for one in sources))
    found = faults(answer, passage, spoken if spoken != "?" else language)
    free = _FREE_FAULTS | {"form"} if is_copied else _FREE_FAULTS
    return tuple(one for one in found if one not in free)


def _shared(sentence: str, stems: set[str]) -> int:
    return len(set(content_stems(sentence)) & stems)


def _is_blank_for(answer: str, sentence: str) -> bool:
    """Tell whether what the answer gives is left open in the sentence, as in a form."""
    return _BLANK.search(sentence) is not None and not numbers(answer)
