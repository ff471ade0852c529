"""One summary on several documents: their best statements, without what two of them say alike.

Every statement keeps its document's name and place. Where two documents give different figures for
what is otherwise said in the same words, both are shown: which of them is right is not for Snug to
say.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from app.documents.checking import says_the_same
from app.documents.document import ReadDocument
from app.documents.evidence import Digest, Evidence
from app.documents.options import SummaryOptions
from app.documents.running import own_words
from app.documents.summary import Summary
from app.documents.usage import Usage
from app.documents.values import Coverage, Statement, Unit
from app.documents.words import content_stems, numbers

_LENGTH_FACTOR = {"short": 0.5, "medium": 1.0, "long": 2.0}
_BASE = 6
_PER_DOUBLING = 4
_MOST = 40
_LEAST_EACH = 2
_SAME_THING = 0.75
_FEWEST_WORDS = 4
_MOST_DISAGREEMENTS = 10
_JOINT_STYLES = frozenset(("points", "paragraph"))


@dataclass(frozen=True, slots=True)
class Digested:
    """A document, what every page of it came to, and its own summary."""

    document: ReadDocument
    digest: Digest
    summary: Summary


def join(done: Sequence[Digested], options: SummaryOptions) -> Summary:
    """Return the joint summary of several documents; tables are put one behind the other."""
    statements = _all(done)
    if options.style in _JOINT_STYLES:
        statements = _best(done, _wanted(len(done), options))
    languages = {item.summary.language for item in done}
    usage = Usage()
    for item in done:
        usage = usage.and_(item.summary.usage)
    return Summary(
        name="",
        title="",
        language=languages.pop() if len(languages) == 1 else "?",
        about="",
        sections=(),
        statements=tuple(_without_doubles(statements)),
        coverage=_coverage(done),
        unreadable=sum(item.summary.unreadable for item in done),
        note="summary_joint",
        note_facts={"count": len(done)},
        model_id=done[0].summary.model_id,
        usage=usage,
        seconds=sum(item.summary.seconds for item in done),
        style=options.style,
        names=tuple(item.document.name for item in done),
        disagreements=tuple(_disagreements(done))[:_MOST_DISAGREEMENTS],
    )


def _wanted(count: int, options: SummaryOptions) -> int:
    wanted = (_BASE + _PER_DOUBLING * math.log2(count)) * _LENGTH_FACTOR[options.length]
    return max(_LEAST_EACH * count, min(_MOST, round(wanted)))


def _all(done: Sequence[Digested]) -> list[Statement]:
    return [
        replace(statement, name=item.document.name)
        for item in done
        for statement in item.summary.statements
    ]


def _best(done: Sequence[Digested], wanted: int) -> list[Statement]:
    """Return the best statements: some of every document, then the best of all, in order."""
    ranked: list[tuple[int, float, int, int]] = []
    for place, item in enumerate(done):
        scores = [evidence.score for evidence in item.digest.evidence]
        order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        for rank, index in enumerate(order):
            # The first of every document come before the third of any.
            ranked.append((max(0, rank - _LEAST_EACH + 1), -scores[index], place, index))
    kept = sorted((place, index) for _, _, place, index in sorted(ranked)[:wanted])
    return [
        replace(done[place].summary.statements[index], name=done[place].document.name)
        for place, index in kept
    ]


def _without_doubles(statements: Sequence[Statement]) -> Iterator[Statement]:
    shown: list[Statement] = []
    for statement in statements:
        is_double = any(
            numbers(statement.text) == numbers(other.text)
            and says_the_same(statement.text, other.text)
            for other in shown
        )
        if not is_double:
            shown.append(statement)
            yield statement


def _disagreements(done: Sequence[Digested]) -> Iterator[tuple[Statement, Statement]]:
    for first, second in combinations(done, 2):
        by_word: dict[str, list[int]] = {}
        others = second.digest.figures
        stems = [_things(item) for item in others]
        for index, words in enumerate(stems):
            for word in words:
                by_word.setdefault(word, []).append(index)
        for item in first.digest.figures:
            words = _things(item)
            near = {index for word in words for index in by_word.get(word, ())}
            for index in sorted(near):
                if _is_other_figure(item, others[index], words, stems[index]):
                    yield (
                        replace(own_words(item, first.document), name=first.document.name),
                        replace(
                            own_words(others[index], second.document), name=second.document.name
                        ),
                    )


def _things(item: Evidence) -> frozenset[str]:
    return frozenset(content_stems(item.text))


def _is_other_figure(
    item: Evidence, other: Evidence, words: frozenset[str], theirs: frozenset[str]
) -> bool:
    """Tell whether two sentences say the same of the same thing, with other figures."""
    if min(len(words), len(theirs)) < _FEWEST_WORDS:
        return False
    if len(words & theirs) < _SAME_THING * len(words | theirs):
        return False
    mine, others = numbers(item.text), numbers(other.text)
    return len(mine) == len(others) and mine != others


def _coverage(done: Sequence[Digested]) -> Coverage:
    """Add up what the summaries rest on; units of several kinds are counted as parts."""
    parts = [item.summary.coverage for item in done]
    kinds = {part.unit for part in parts}
    unit: Unit = kinds.pop() if len(kinds) == 1 else "message"
    return Coverage(
        unit=unit,
        total=sum(part.total for part in parts),
        read=sum(part.read for part in parts),
        ocr=sum(part.ocr for part in parts),
        without_text=sum(part.without_text for part in parts),
        blank=sum(part.blank for part in parts),
    )
