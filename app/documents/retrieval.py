"""Finds the passages of documents that a question may be answered from.

Two lists are made, by words and by meaning, because each finds what the other misses, and fused by
their ranks, since their scores cannot be compared. What is compared is small, because a vector of a
long text means everything and nothing; what is handed on is that piece with its neighbors.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.documents.chunking import Chunk, chunks_of
from app.documents.document import ReadDocument
from app.documents.lexical import Bm25, terms
from app.documents.values import Place
from app.documents.words import names, numbers

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
By = Literal["words", "words_and_meaning"]

_CANDIDATES = 30
# On 83 questions over four long documents the right passage was among the first three for 61 with
# pieces of 500 characters, these weights and windows; for 52 with the pieces alone.
_PIECE_CHARS = 500
_WINDOW_CHARS = 1100
_RANK_OFFSET = 10
_MEANING_WEIGHT = 2.0
_LEADER = re.compile(r"(?:[.…·] ?){5,}\s*\d+")
_FEWEST_LEADERS = 3
_SAME_WORDS = 0.9


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that may hold an answer.

    Attributes:
        document_id: As the index was given it.
        name: The document's own file name.
        heading: The nearest heading before it, or empty.
        similarity: Cosine of meaning to the question, or NaN where only words were compared.
    """

    document_id: str
    name: str
    place: Place
    text: str
    sentences: tuple[str, ...]
    heading: str = ""
    similarity: float = float("nan")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found for a question.

    Attributes:
        passages: The best first.
        by: Whether an embedding model took part.
        missing: Names and numbers of the question that stand nowhere in the documents.
    """

    passages: tuple[Passage, ...]
    by: By
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document under the id that its passages shall have."""

    id: str
    document: ReadDocument


class DocumentIndex:
    """An index in memory over a few documents; one thread at a time.

    Vectors are computed with the first question, because that takes seconds.
    """

    def __init__(self, documents: Sequence[IndexedDocument], embed: Embed | None = None) -> None:
        self._chunks: list[Chunk] = []
        self._owners: list[IndexedDocument] = []
        for one in documents:
            for chunk in chunks_of(one.document, _PIECE_CHARS):
                if not is_contents(chunk.text):
                    self._chunks.append(chunk)
                    self._owners.append(one)
        self._embed = embed
        self._vectors: NDArray[np.float32] | None = None
        self._words = Bm25([with_heading(chunk) for chunk in self._chunks])
        self._text = "\n".join(with_heading(chunk) for chunk in self._chunks).lower()

    def retrieve(self, question: str, *, limit: int = 4) -> Retrieved:
        """Return the passages that fit `question` best; blocks while vectors are computed.

        Raises:
            InferenceError: The embedding model failed.
            Cancelled: `embed` was stopped.
        """
        missing = self._missing(question)
        if not self._chunks:
            return Retrieved((), "words", missing)
        by_words = _best(self._words.scores(question), least=1e-6)
        similarities = self._similarities(question)
        by_meaning = _best(similarities) if similarities is not None else []
        passages: list[Passage] = []
        taken: set[int] = set()
        for index in fuse(by_meaning, by_words):
            if index in taken:
                continue
            window = self._window(index, taken)
            taken.update(window)
            passage = self._passage(window, index, similarities)
            if not any(_is_same(passage.text, other.text) for other in passages):
                passages.append(passage)
            if len(passages) == limit:
                break
        by: By = "words" if similarities is None else "words_and_meaning"
        return Retrieved(tuple(passages), by, missing)

    def _similarities(self, question: str) -> NDArray[np.float32] | None:
        if self._embed is None:
            return None
        if self._vectors is None:
            self._vectors = self._embed([with_heading(chunk) for chunk in self._chunks])
        scores: NDArray[np.float32] = self._vectors @ self._embed([question])[0]
        return scores

    def _window(self, index: int, taken: set[int]) -> range:
        """Return a piece with its neighbors on the same page, as much as a passage may hold."""
        first = last = index
        chars = len(self._chunks[index].text)
        while True:
            near = [
                place
                for place in (last + 1, first - 1)
                if place not in taken and self._is_beside(index, place)
            ]
            near = [n for n in near if chars + len(self._chunks[n].text) <= _WINDOW_CHARS]
            if not near:
                return range(first, last + 1)
            place = min(near, key=lambda each: abs(each - index))
            chars += len(self._chunks[place].text)
            first, last = min(first, place), max(last, place)

    def _is_beside(self, index: int, place: int) -> bool:
        if not 0 <= place < len(self._chunks) or self._owners[place] is not self._owners[index]:
            return False
        return self._chunks[place].place.page == self._chunks[index].place.page

    def _passage(
        self, window: range, index: int, similarities: NDArray[np.float32] | None
    ) -> Passage:
        joined = _joined([self._chunks[place] for place in window])
        passage = _passage(self._owners[index], joined)
        if similarities is None:
            return passage
        return replace(passage, similarity=float(similarities[index]))

    def _missing(self, question: str) -> tuple[str, ...]:
        return missing_from(question, lambda word: word.lower() in self._text)


def passages_of(one: IndexedDocument) -> list[Passage]:
    """Return a whole document as passages."""
    return [_passage(one, chunk) for chunk in chunks_of(one.document)]


def _passage(owner: IndexedDocument, chunk: Chunk) -> Passage:
    return Passage(
        owner.id, owner.document.name, chunk.place, chunk.text, chunk.sentences, chunk.heading
    )


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    """Return pieces that follow each other as one, with the cells of all of them."""
    first, last = chunks[0], chunks[-1]
    cells = ""
    if first.place.cells and last.place.cells:
        begins, ends = first.place.cells.partition(":")[0], last.place.cells.rpartition(":")[2]
        cells = f"{begins}:{ends}"
    return Chunk(
        replace(first.place, cells=cells),
        "\n".join(chunk.text for chunk in chunks),
        tuple(sentence for chunk in chunks for sentence in chunk.sentences),
        first.heading,
    )


def with_heading(chunk: Chunk) -> str:
    """Return what a chunk is searched by: its heading tells what its sentences leave out."""
    if not chunk.heading or chunk.text.startswith(chunk.heading):
        return chunk.text
    return f"{chunk.heading}\n{chunk.text}"


def is_contents(text: str) -> bool:
    """Tell whether a chunk is of a list of contents: it names places and answers nothing."""
    return len(_LEADER.findall(text)) >= _FEWEST_LEADERS


def fuse(by_meaning: Sequence[int], by_words: Sequence[int]) -> list[int]:
    """Return both lists as one, by reciprocal ranks.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet", 2009, with a
    smaller offset, because only the first few count here.
    """
    scores: dict[int, float] = {}
    for weight, order in ((_MEANING_WEIGHT, by_meaning), (1.0, by_words)):
        for rank, index in enumerate(order):
            scores[index] = scores.get(index, 0.0) + weight / (_RANK_OFFSET + rank)
    return sorted(scores, key=lambda index: -scores[index])


def interleave(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return both lists as one, taking from each in turn, doubles once."""
    order: dict[int, None] = {}
    for place in range(max(len(first), len(second))):
        for each in (first, second):
            if place < len(each):
                order[each[place]] = None
    return list(order)


def missing_from(question: str, is_there: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the names and numbers of a question that `is_there` does not know.

    The first word of a question is capitalized whatever it is, and so is every noun in German:
    only what stands inside a sentence and is no common word counts, and years and other numbers.
    """
    inside = re.sub(r"^\W*\w+", "", question, count=1)
    wanted = sorted(numbers(question) | {word for word in names(f"x {inside}") if len(word) > 1})
    return tuple(word for word in wanted if not is_there(word))


def best_sentences(question: str, passages: Sequence[Passage], limit: int = 2) -> list[str]:
    """Return the sentences that share most with a question, as they stand in the passages."""
    sentences = list(
        dict.fromkeys(
            sentence
            for passage in passages
            for sentence in passage.sentences
            if sentence != passage.heading
        )
    )
    if not sentences:
        return []
    asked = set(terms(question))
    scores = Bm25(sentences).scores(question)
    shared = np.array([len(asked & set(terms(each))) for each in sentences])
    order = np.lexsort((np.arange(len(sentences)), -scores, -shared))
    return [sentences[index] for index in order[:limit] if shared[index]]


def _best(scores: NDArray[np.float32], least: float = -np.inf) -> list[int]:
    order = np.argsort(-scores, kind="stable")[:_CANDIDATES]
    return [int(index) for index in order if scores[index] > least]


def _is_same(first: str, second: str) -> bool:
    one, other = set(terms(first)), set(terms(second))
    return len(one & other) >= _SAME_WORDS * max(1, len(one | other))
