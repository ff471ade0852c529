"""Chooses the evidence of a summary: the sentences that say most, from every part of a document.

Two levels: up to three sentences of every part (a run of a few pages inside one main section), then
of these the best for the length wished, first one for every main section of weight.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.documents.blocks import blocks_of
from app.documents.cleaning import clean
from app.documents.document import ReadDocument
from app.documents.fitness import why_unfit
from app.documents.frames import Length, Stage
from app.documents.outline import sections_of
from app.documents.ranking import Terms, Vector, center, leans_on_another, likeness, manner
from app.documents.sentences import Sentence, sentences_of
from app.documents.words import language_of

_PART_CHARS = 3500
_SECTION_SHARE = 0.25
_PER_PART = 3
_REDUNDANCY_WEIGHT = 0.7
_FREE_LIKENESS = 0.35
_DOUBLE_LIKENESS = 0.82
_FINAL_LIKENESS = 0.80
_CROWDING_WEIGHT = 0.5
_LEAST_SECTION_SHARE = 0.02
_MOST_STATEMENTS = {"short": 10, "medium": 30, "long": 60}
_LENGTH_FACTOR = {"short": 0.5, "medium": 1.0, "long": 2.0}
_LANGUAGE_SENTENCES = 600


@dataclass(slots=True)
class Candidate:
    """A sentence that may stand alone, with what ranking made of it."""

    sentence: Sentence
    place: int
    vector: Vector
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything choosing found out about a document.

    Attributes:
        sentences: All of them in order, fit or not.
        chosen: Indices of the final sentences among `sentences`, in order.
        left_out: How many lines and sentences went, by reason.
        section_sizes: Characters of usable text by main section.
    """

    language: str
    sentences: tuple[Sentence, ...]
    chosen: tuple[int, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    section_sizes: Counter[str] = field(default_factory=Counter)


def analyze(
    document: ReadDocument,
    *,
    length: Length = "medium",
    on_stage: Callable[[Stage], None] | None = None,
) -> Analysis:
    """Read every page of `document` and choose its evidence."""
    pages, left_out = clean(document.pages)
    blocks = blocks_of(pages, document.bookmarks)
    sections = sections_of(blocks, document.bookmarks, len(pages))
    sentences = sentences_of(blocks, sections)
    language = language_of(" ".join(item.text for item in sentences[:_LANGUAGE_SENTENCES]))
    candidates = _candidates(sentences, language, len(pages), left_out)
    if on_stage:
        on_stage(Stage("choosing"))
    parts = _parts(candidates)
    _score(candidates, parts, language)
    pool = _standing_alone([item for part in parts for item in _best_of_part(part)])
    sizes: Counter[str] = Counter()
    for candidate in candidates:
        sizes[candidate.sentence.section] += len(candidate.sentence.text)
    chosen = _select(pool, sizes, _wanted(len(pages), length))
    places = tuple(sorted(candidate.place for candidate in chosen))
    return Analysis(language, tuple(sentences), places, left_out, sizes)


def _wanted(page_count: int, length: Length) -> int:
    wanted = (4 + 2 * math.log2(max(2, page_count))) * _LENGTH_FACTOR[length]
    return min(_MOST_STATEMENTS[length], max(1, round(wanted)))


def _candidates(
    sentences: Sequence[Sentence], language: str, page_count: int, left_out: Counter[str]
) -> list[Candidate]:
    """Return the sentences that can stand alone, each text once."""
    fit: list[int] = []
    reasons: Counter[str] = Counter()
    for is_loose in (False, True):
        verdicts = [why_unfit(item, language, is_loose=is_loose) for item in sentences]
        fit = [place for place, reason in enumerate(verdicts) if reason is None]
        reasons = Counter(reason for reason in verdicts if reason)
        if len(fit) >= page_count:
            break
    left_out.update(reasons)
    first_place: dict[str, int] = {}
    for place in fit:
        first_place.setdefault(_key(sentences[place].text), place)
    left_out["repeated"] += len(fit) - len(first_place)
    terms = Terms([sentences[place].text for place in first_place.values()])
    return [
        Candidate(sentences[place], place, terms.vector(sentences[place].text))
        for place in first_place.values()
    ]


def _key(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())


def _parts(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Cut into runs inside a main section, of a few pages each."""
    parts: list[list[Candidate]] = []
    chars = 0
    for candidate in candidates:
        last = parts[-1][-1].sentence.section if parts else None
        is_new_section = candidate.sentence.section != last and chars > _SECTION_SHARE * _PART_CHARS
        if not parts or is_new_section or chars > _PART_CHARS:
            parts.append([])
            chars = 0
        parts[-1].append(candidate)
        chars += len(candidate.sentence.text)
    return parts


def _score(
    candidates: Sequence[Candidate], parts: Sequence[Sequence[Candidate]], language: str
) -> None:
    terms = Terms([candidate.sentence.text for candidate in candidates])
    headings = {item.sentence.heading or item.sentence.section for item in candidates}
    heading_vectors = {heading: terms.vector(heading) for heading in headings}
    document_center = center(candidate.vector for candidate in candidates)
    for part in parts:
        part_center = center(candidate.vector for candidate in part)
        for item in part:
            heading = item.sentence.heading or item.sentence.section
            item.score = (
                likeness(item.vector, part_center)
                + 0.5 * likeness(item.vector, document_center)
                + 0.3 * likeness(item.vector, heading_vectors[heading])
                + manner(item.sentence, language)
            )


def _best_of_part(part: Sequence[Candidate]) -> list[Candidate]:
    """Return the best sentences of a part that do not repeat each other."""
    chosen: list[Candidate] = []
    likest = [0.0] * len(part)
    for _ in range(min(_PER_PART, max(1, len(part) // _PER_PART))):
        values = [
            (item.score - _REDUNDANCY_WEIGHT * max(0.0, likest[index] - _FREE_LIKENESS), index)
            for index, item in enumerate(part)
            if item not in chosen and likest[index] <= _DOUBLE_LIKENESS
        ]
        if not values:
            break
        best = part[max(values, key=lambda value: (value[0], -value[1]))[1]]
        chosen.append(best)
        likest = [
            max(old, likeness(item.vector, best.vector))
            for old, item in zip(likest, part, strict=True)
        ]
    return chosen


def _standing_alone(pool: list[Candidate]) -> list[Candidate]:
    """Leave out what leans on a sentence that is not shown, unless nothing else is there."""
    alone = [item for item in pool if not leans_on_another(item.sentence.text)]
    return alone or pool


def _select(pool: Sequence[Candidate], sizes: Counter[str], wanted: int) -> list[Candidate]:
    """Return at most `wanted`: one for each section of weight first, then the best left."""
    chosen: list[Candidate] = []
    left = list(pool)
    total = sum(sizes.values()) or 1

    def take(best: Candidate) -> None:
        nonlocal left
        chosen.append(best)
        left = [
            item
            for item in left
            if likeness(item.vector, best.vector) < _FINAL_LIKENESS and item is not best
        ]

    for section, size in sizes.most_common():
        here = [item for item in left if item.sentence.section == section]
        if len(chosen) >= wanted or size < _LEAST_SECTION_SHARE * total:
            break
        if here:
            take(max(here, key=lambda item: item.score))
    while left and len(chosen) < wanted:
        used = Counter(item.sentence.section for item in chosen)
        take(max(left, key=lambda item: item.score - _crowding(item, used, sizes, wanted, total)))
    return chosen


def _crowding(
    item: Candidate, used: Counter[str], sizes: Counter[str], wanted: int, total: int
) -> float:
    section = item.sentence.section
    over = used[section] / wanted - sizes[section] / total
    return _CROWDING_WEIGHT * max(0.0, over)
