"""Finds what an answer rests on that was written over documents a model had read whole.

By code: a mark that a model writes itself is worth nothing. A sentence of the answer is cited only
where one passage holds most of its words and all of its numbers; the others stand without a mark.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.documents.grounding import sources_of
from app.documents.lexical import Bm25
from app.documents.retrieval import IndexedDocument, Passage, passages_of
from app.documents.sentences import split
from app.documents.values import Citation
from app.documents.words import content_stems, numbers

_LEAST_SHARE = 0.6
_FEWEST_STEMS = 2
_MOST_CITATIONS = 12
_POOL = 4
_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"^\s*(```|~~~)")
_FRAME = re.compile(r"^[\s>#*\-\d.)|]*")


def cite(answer: str, documents: Sequence[IndexedDocument]) -> tuple[Citation, ...]:
    """Return the citations of `answer`, in its order, each `at` the end of a sentence."""
    passages = [passage for one in documents for passage in passages_of(one)]
    if not passages:
        return ()
    index = Bm25([passage.text for passage in passages])
    found: list[Citation] = []
    numbered: dict[tuple[str, str], int] = {}
    for sentence, end in _sentences(answer):
        citation = _citation(sentence, passages, index)
        if citation is None:
            continue
        key = (citation.document_id, citation.passage)
        number = numbered.setdefault(key, len(numbered) + 1)
        found.append(replace(citation, number=number, at=end))
        if len(found) == _MOST_CITATIONS:
            break
    return tuple(found)


def _citation(sentence: str, passages: Sequence[Passage], index: Bm25) -> Citation | None:
    said = set(content_stems(sentence))
    if len(said) < _FEWEST_STEMS:
        return None
    scores = index.scores(sentence)
    nearest = [passages[place] for place in (-scores).argsort(kind="stable")[:_POOL]]
    sources = sources_of(sentence, "", nearest)
    if not sources:
        return None
    there = " ".join(source.sentence for source in sources)
    shared = len(said & set(content_stems(there)))
    if shared < _LEAST_SHARE * len(said) or not numbers(sentence) <= numbers(there):
        return None
    passage = sources[0].passage
    return Citation(
        number=0,
        document_id=passage.document_id,
        name=passage.name,
        place=passage.place,
        passage=passage.text,
        marked=tuple(source.sentence for source in sources),
    )


def _sentences(answer: str) -> Iterator[tuple[str, int]]:
    """Yield the sentences of running text and of lists, each with where it ends; no code."""
    in_code = False
    for line in _LINE.finditer(answer):
        if _FENCE.match(line[0]):
            in_code = not in_code
            continue
        if in_code:
            continue
        start = line.start()
        for sentence in split(line[0]):
            place = answer.find(sentence, start)
            if place < 0:
                break
            start = place + len(sentence)
            yield _FRAME.sub("", sentence), start
