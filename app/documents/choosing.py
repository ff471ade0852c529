"""Chooses the evidence of a summary: the sentences that say most, from every part of a document.

Two levels: up to three sentences of every part (a run of a few pages inside one main section), then
of these the best for the length wished, first one for every main section of weight.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace

from app.documents.blocks import blocks_of
from app.documents.cleaning import clean
from app.documents.document import Page, ReadDocument
from app.documents.facts import facts_in
from app.documents.fitness import why_unfit
from app.documents.frames import Stage
from app.documents.mail_text import without_frames
from app.documents.options import Length, SummaryOptions
from app.documents.outline import sections_of
from app.documents.ranking import (
    Terms,
    Vector,
    center,
    leans_on_another,
    leans_on_its_place,
    likeness,
    manner,
)
from app.documents.sentences import Sentence, sentences_of
from app.documents.tasks import is_decision, task_in
from app.documents.tidying import tidy
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
_MOST_FIGURES = 400
_FACT_WEIGHT = 0.25
_DECISION_WEIGHT = 0.4
# Of a text of one page, a third of its sentences is a summary and more is a copy.
_SENTENCES_PER_STATEMENT = 3
# Formats whose lines are whole paragraphs, because the format says where one ends.
_KINDS_OF_PARAGRAPHS = frozenset(("docx", "odt", "rtf", "html", "epub", "pptx", "odp", "ppt"))


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
        figures: Indices of sentences with numbers that can stand alone.
        scores: What ranking gave the sentences that can stand alone.
    """

    language: str
    sentences: tuple[Sentence, ...]
    chosen: tuple[int, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    section_sizes: Counter[str] = field(default_factory=Counter)
    figures: tuple[int, ...] = ()
    scores: dict[int, float] = field(default_factory=dict)


def analyze(
    document: ReadDocument,
    *,
    options: SummaryOptions | None = None,
    on_stage: Callable[[Stage], None] | None = None,
) -> Analysis:
    """Read every page of `document` that holds running text and choose its evidence."""
    options = options or SummaryOptions()
    source = [_prose(page, document) for page in document.pages]
    pages, left_out = clean(source)
    lists = {page.number for page in source if unit_of(page, document) == "slide"}
    blocks = blocks_of(
        pages,
        document.bookmarks,
        of_paragraphs=document.kind in _KINDS_OF_PARAGRAPHS,
        slides=lists,
    )
    sections = sections_of(blocks, document.bookmarks, len(pages))
    sentences = sentences_of(blocks, sections)
    language = language_of(" ".join(item.text for item in sentences[:_LANGUAGE_SENTENCES]))
    candidates = _candidates(sentences, language, len(pages), left_out, lists)
    if on_stage:
        on_stage(Stage("choosing"))
    parts = _parts(candidates)
    _score(candidates, parts, language)
    sizes: Counter[str] = Counter()
    for candidate in candidates:
        sizes[candidate.sentence.section] += len(candidate.sentence.text)
    if options.style == "actions":
        places = _tasks(sentences, _MOST_STATEMENTS["long"])
    else:
        pool = _pool(candidates, parts, options, language)
        wanted = _wanted(len(pages), len(candidates), options.length)
        places = [candidate.place for candidate in _select(pool, sizes, wanted)]
    figures = [item for item in candidates if any(char.isdigit() for char in item.sentence.text)]
    figures.sort(key=lambda item: -item.score)
    return Analysis(
        language,
        tuple(sentences),
        tuple(sorted(places)),
        left_out,
        sizes,
        tuple(sorted(item.place for item in figures[:_MOST_FIGURES])),
        {item.place: item.score for item in candidates},
    )


def unit_of(page: Page, document: ReadDocument) -> str:
    """Return what kind of unit `page` is."""
    return page.unit or document.report.unit


def _prose(page: Page, document: ReadDocument) -> Page:
    """Return `page` with its running text only: a sheet has none."""
    unit = unit_of(page, document)
    if unit == "sheet":
        return replace(page, lines=())
    return without_frames(page) if unit == "message" else page


def _pool(
    candidates: Sequence[Candidate],
    parts: Sequence[Sequence[Candidate]],
    options: SummaryOptions,
    language: str,
) -> list[Candidate]:
    """Return what to choose from: the best of every part, as the style wishes it."""
    if options.style == "facts":
        kept = [item for item in candidates if facts_in(item.sentence.text, language)]
        for item in kept:
            item.score += _FACT_WEIGHT * any(char.isdigit() for char in item.sentence.text)
        return _standing_alone(kept)
    if options.style == "minutes":
        for item in candidates:
            text = item.sentence.text
            item.score += _DECISION_WEIGHT * (is_decision(text) or task_in(text) is not None)
    return _standing_alone([item for part in parts for item in _best_of_part(part)])


def _tasks(sentences: Sequence[Sentence], most: int) -> list[int]:
    """Return the sentences that ask something of somebody, each text once."""
    first: dict[str, int] = {}
    for place, sentence in enumerate(sentences):
        if not (sentence.is_back_matter or sentence.is_cut) and task_in(sentence.text):
            first.setdefault(_key(sentence.text), place)
    return list(first.values())[:most]


def _wanted(page_count: int, sentence_count: int, length: Length) -> int:
    wanted = (4 + 2 * math.log2(max(2, page_count))) * _LENGTH_FACTOR[length]
    if page_count == 1:
        wanted = min(wanted, sentence_count / _SENTENCES_PER_STATEMENT * _LENGTH_FACTOR[length])
    return min(_MOST_STATEMENTS[length], max(1, round(wanted)))


def _candidates(
    sentences: Sequence[Sentence],
    language: str,
    page_count: int,
    left_out: Counter[str],
    slides: Set[int],
) -> list[Candidate]:
    """Return the sentences that can stand alone, each text once; slides hold few whole ones."""
    fit: list[int] = []
    reasons: Counter[str] = Counter()
    for is_loose in (False, True):
        verdicts = [
            why_unfit(item, language, is_loose=is_loose or item.page in slides)
            for item in sentences
        ]
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
    alone = [item for item in pool if not _leans(item.sentence)]
    return alone or pool


def _leans(sentence: Sentence) -> bool:
    """Tell whether a sentence, as it stands or as it would be shown, says too little alone."""
    texts = (sentence.text, tidy(sentence.text))
    return any(map(leans_on_another, texts)) or leans_on_its_place(sentence)


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
