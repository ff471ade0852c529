"""Finds passages in the library: by words in the store, by meaning among vectors held in memory.

A hundred thousand chunks are 77 MB of float16 and one product; an index of vectors would be another
library for milliseconds.
"""

import json
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from app.documents.values import Place
from app.documents.words import STOP_WORDS
from app.store.database import Database
from app.store.library import FoundChunk, LibraryRows
from inference.errors import InferenceError

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    from numpy.typing import NDArray

    from app.documents.retrieval import Passage, Retrieved

T = TypeVar("T")

_POOL = 12
_ROWS = 8192
_WORD = re.compile(r"[^\W_]+")
_QUESTION_WORDS = frozenset(("why", "where", "which", "whose", "whom", "me", "my", "i", "there"))
_COMMON = frozenset().union(*STOP_WORDS.values()) | _QUESTION_WORDS


class Run(Protocol):
    """Runs work on the thread that owns the store."""

    def __call__(self, do: Callable[[Database], T], /) -> "Future[T]":
        """Return the result of `do` as a future."""
        ...


class Embedding(Protocol):
    """What turns texts into vectors; see `inference.embedding`."""

    @property
    def is_available(self) -> bool:
        """Whether a model for it is installed."""
        ...

    def embed(
        self, texts: Sequence[str], *, cancelled: threading.Event | None = None
    ) -> "NDArray[np.float32]":
        """Return float32[texts, width], each row of length 1."""
        ...


class LibrarySearch:
    """Answers which passages fit a question; any thread, one question at a time."""

    def __init__(self, run: Run, embedding: Embedding) -> None:
        self._run = run
        self._embedding = embedding
        self._lock = threading.Lock()
        self._stale = threading.Event()
        self._stale.set()
        self._keys: list[int] = []
        self._vectors: NDArray[np.float16] | None = None

    def note_change(self) -> None:
        """Have the vectors read anew with the next question."""
        self._stale.set()

    def find(self, question: str, limit: int) -> "Retrieved":
        """Return the passages that fit `question` best; blocks.

        Raises:
            StoreError: The store cannot be read.
        """
        # These bring numpy, for which the window must not wait when it starts.
        from app.documents import retrieval  # noqa: PLC0415

        words = [word for word in _WORD.findall(question.lower()) if word not in _COMMON]
        by_words = self._run(
            lambda database: LibraryRows(database).search(words, question, _POOL)
        ).result()
        by_meaning = self._by_meaning(question)
        order = retrieval.interleave(list(by_meaning or ()), by_words)
        found = self._run(lambda database: LibraryRows(database).chunks(order)).result()
        passages: list[Passage] = []
        texts: set[str] = set()
        for each in found:
            plain = " ".join(each.chunk.text.split())
            if plain not in texts and len(passages) < limit:
                texts.add(plain)
                passages.append(_passage(each, (by_meaning or {}).get(each.key)))
        missing = self._run(
            lambda database: retrieval.missing_from(question, LibraryRows(database).knows)
        ).result()
        by: retrieval.By = "words" if by_meaning is None else "words_and_meaning"
        return retrieval.Retrieved(tuple(passages), by, missing)

    def _by_meaning(self, question: str) -> dict[int, float] | None:
        """Return keys and cosines, best first; None where meaning cannot be compared."""
        import numpy as np  # noqa: PLC0415

        if not self._embedding.is_available:
            return None
        with self._lock:
            if self._stale.is_set():
                self._stale.clear()
                self._keys, raw = self._run(lambda db: LibraryRows(db).vectors()).result()
                rows = len(self._keys)
                self._vectors = np.frombuffer(raw, "<f2").reshape(rows, -1) if rows else None
            keys, vectors = self._keys, self._vectors
        if vectors is None:
            return None
        try:
            asked = self._embedding.embed([question])[0]
        except InferenceError:
            return None  # words alone find something, and `Retrieved.by` says so
        scores = np.concatenate(
            [
                vectors[start : start + _ROWS].astype(np.float32) @ asked
                for start in range(0, len(keys), _ROWS)
            ]
        )
        order = np.argsort(-scores, kind="stable")[:_POOL]
        return {keys[index]: float(scores[index]) for index in order}


def _passage(found: FoundChunk, similarity: float | None) -> "Passage":
    from app.documents import retrieval  # noqa: PLC0415

    return retrieval.Passage(
        document_id=str(found.file_key),
        name=found.path.name,
        place=Place(**json.loads(found.chunk.place)),
        text=found.chunk.text,
        sentences=tuple(json.loads(found.chunk.sentences)),
        heading=found.chunk.heading,
        similarity=float("nan") if similarity is None else similarity,
    )
