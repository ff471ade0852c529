"""Finds texts by their words: Okapi's BM25 over stems, over pairs of characters without spaces.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.documents.words import STOP_WORDS, stem

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
# Scripts that write no spaces between words.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]+")
_STOP_WORDS = frozenset().union(*STOP_WORDS.values()) | frozenset(
    (
        "why",
        "where",
        "which",
        "whose",
        "whom",
        "me",
        "my",
        "i",
        "wer",
        "wie",
        "wo",
        "warum",
        "welche",
    )
)


def terms(text: str) -> Iterator[str]:
    """Yield what a text is found by, in lower case."""
    for word in _WORD.findall(text.lower()):
        unspaced = _UNSPACED.findall(word)
        for run in unspaced:
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        if not unspaced and word not in _STOP_WORDS:
            yield stem(word)


class Bm25:
    """An index of texts in memory."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts: dict[str, list[tuple[int, int]]] = {}
        lengths = []
        for index, text in enumerate(texts):
            counted = Counter(terms(text))
            lengths.append(counted.total())
            for term, count in counted.items():
                self._counts.setdefault(term, []).append((index, count))
        self._lengths = np.array(lengths, np.float32)
        self._average = float(self._lengths.mean()) if lengths else 0.0

    def __contains__(self, term: str) -> bool:
        return term in self._counts

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return how well each text fits, (texts,); 0 without any word of the question."""
        total = len(self._lengths)
        found = np.zeros(total, np.float32)
        for term in set(terms(question)):
            entries = self._counts.get(term, [])
            if not entries:
                continue
            weight = math.log(1 + (total - len(entries) + 0.5) / (len(entries) + 0.5))
            places = np.array([index for index, _ in entries])
            counts = np.array([count for _, count in entries], np.float32)
            lengths = self._lengths[places] / max(1.0, self._average)
            found[places] += weight * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * lengths))
        return found
