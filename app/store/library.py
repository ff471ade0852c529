"""The library: folders, their files, the text of these in chunks, words and vectors of those.

Text lies here and nowhere else. A chunk is in one of three word indexes, by how its language writes
words; triggers keep them in step, so that whatever removes a chunk removes its words.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.store.database import Database, Row

_INDEXES = ("english", "spaced", "unspaced")
_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]"
_UNSPACED_RUN = re.compile(f"{_UNSPACED}+")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED_SHARE = 0.2
_GRAM = 3


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was when it was read.

    Attributes:
        code: Why it was not, or empty.
        detail: What `code` says more.
    """

    key: int
    path: Path
    size_bytes: int
    mtime_ns: int
    sha256: str
    code: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk of a file; `place` and `sentences` are JSON."""

    place: str
    heading: str
    text: str
    sentences: str


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that was found, with its file."""

    key: int
    file_key: int
    path: Path
    chunk: ChunkRow


class LibraryRows:
    """Keeps and finds; belongs to the thread of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def folders(self) -> tuple[Path, ...]:
        """Return the folders in the order in which they were added."""
        rows = self._database.rows("select path from library_folders order by key")
        return tuple(_path(row[0]) for row in rows)

    def add_folder(self, path: Path) -> None:
        """Keep a folder; nothing happens to one that is there."""
        self._database.run(
            "insert or ignore into library_folders (path) values (?)", (os.fsencode(path),)
        )

    def remove_folder(self, path: Path) -> None:
        """Remove a folder; its files go with the next look through the folders."""
        self._database.run("delete from library_folders where path = ?", (os.fsencode(path),))

    def files(self) -> tuple[FileRow, ...]:
        """Return every file, by path."""
        rows = self._database.rows(
            "select key, path, size_bytes, mtime_ns, sha256, code, detail"
            " from library_files order by path"
        )
        return tuple(FileRow(row[0], _path(row[1]), *row[2:]) for row in rows)

    def put(self, file: FileRow, chunks: Sequence[ChunkRow], language: str) -> None:
        """Keep a file with its chunks in place of what was kept under its path, in whole or not."""
        with self._database.transaction():
            self._database.run(
                "delete from library_files where path = ?", (os.fsencode(file.path),)
            )
            self._database.run(
                "insert into library_files (path, size_bytes, mtime_ns, sha256, code, detail,"
                " language) values (?, ?, ?, ?, ?, ?, ?)",
                (
                    os.fsencode(file.path),
                    file.size_bytes,
                    file.mtime_ns,
                    file.sha256,
                    file.code,
                    file.detail,
                    language,
                ),
            )
            row = self._database.row("select last_insert_rowid()")
            file_key = row[0] if row else 0
            self._database.run_many(
                "insert into library_chunks (file_key, place, heading, text, sentences, words)"
                " values (?, ?, ?, ?, ?, ?)",
                [
                    (
                        file_key,
                        chunk.place,
                        chunk.heading,
                        chunk.text,
                        chunk.sentences,
                        _index_of(chunk.text, language),
                    )
                    for chunk in chunks
                ],
            )

    def touch(self, key: int, path: Path, *, size_bytes: int, mtime_ns: int) -> None:
        """Note that a file with the same content is at `path` now."""
        with self._database.transaction():
            self._database.run(
                "delete from library_files where path = ? and key <> ?", (os.fsencode(path), key)
            )
            self._database.run(
                "update library_files set path = ?, size_bytes = ?, mtime_ns = ? where key = ?",
                (os.fsencode(path), size_bytes, mtime_ns, key),
            )

    def drop(self, keys: Sequence[int]) -> None:
        """Remove files with all that was kept of them."""
        with self._database.transaction():
            self._database.run_many(
                "delete from library_files where key = ?", [(key,) for key in keys]
            )

    def path_of(self, key: int) -> Path | None:
        """Return where a file is."""
        row = self._database.row("select path from library_files where key = ?", (key,))
        return _path(row[0]) if row else None

    def languages(self) -> dict[str, int]:
        """Return how many chunks are in files of each language."""
        rows = self._database.rows(
            "select language, count(*) from library_chunks"
            " join library_files on library_files.key = file_key group by language"
        )
        return {row[0]: row[1] for row in rows}

    def without_vector(self, limit: int) -> tuple[tuple[int, str], ...]:
        """Return keys and texts, their headings in front, of chunks that wait for a vector."""
        rows = self._database.rows(
            "select key, heading, text from library_chunks where vector is null limit ?", (limit,)
        )
        return tuple(
            (key, f"{heading}\n{text}" if heading else text) for key, heading, text in rows
        )

    def put_vectors(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep vectors, float16, by the keys of their chunks; those that are gone are left out."""
        with self._database.transaction():
            self._database.run_many(
                "update library_chunks set vector = ? where key = ?",
                [(vector, key) for key, vector in vectors],
            )

    def vectors(self) -> tuple[list[int], bytes]:
        """Return the keys of all chunks with a vector, and the vectors behind each other."""
        rows = self._database.rows(
            "select key, vector from library_chunks where vector is not null order by key"
        )
        return [row[0] for row in rows], b"".join(row[1] for row in rows)

    def search(self, words: Sequence[str], question: str, limit: int) -> list[int]:
        """Return the keys of chunks that hold any of `words`, best first.

        Scripts without spaces are searched by every three characters of `question`.
        """
        grams = [
            run[at : at + _GRAM]
            for run in _UNSPACED_RUN.findall(question)
            for at in range(len(run) - _GRAM + 1)
        ]
        scored: list[tuple[float, int]] = []
        for index in _INDEXES:
            wanted = grams if index == "unspaced" else words
            scored += [(row[1], row[0]) for row in self._matches(index, wanted, limit)]
        return [key for _, key in sorted(scored)[:limit]]

    def knows(self, word: str) -> bool:
        """Tell whether a word stands anywhere."""
        is_unspaced = _UNSPACED_RUN.search(word) is not None
        if is_unspaced and len(word) < _GRAM:
            return True  # too short to be looked up
        indexes = ("unspaced",) if is_unspaced else _INDEXES[:2]
        return any(self._matches(index, [word], 1) for index in indexes)

    def chunks(self, keys: Sequence[int]) -> tuple[FoundChunk, ...]:
        """Return the chunks of `keys` in this order; those that are gone are left out."""
        found = []
        for key in keys:
            row = self._database.row(
                "select library_files.key, path, place, heading, text, sentences"
                " from library_chunks join library_files on library_files.key = file_key"
                " where library_chunks.key = ?",
                (key,),
            )
            if row:
                found.append(FoundChunk(key, row[0], _path(row[1]), ChunkRow(*row[2:])))
        return tuple(found)

    def _matches(self, index: str, words: Sequence[str], limit: int) -> list[Row]:
        # Only letters and digits get through, so nothing in a question is an operator.
        pieces = [piece for word in words for piece in _WORD.findall(word)]
        if not pieces:
            return []
        expression = " OR ".join(f'"{piece}"' for piece in dict.fromkeys(pieces))
        table = f"library_{index}"
        return self._database.rows(
            f"select rowid, bm25({table}) from {table} where {table} match ?"  # noqa: S608 - a name of ours
            f" order by bm25({table}) limit ?",
            (expression, limit),
        )


def _index_of(text: str, language: str) -> str:
    unspaced = sum(map(len, _UNSPACED_RUN.findall(text)))
    if unspaced > _UNSPACED_SHARE * len(text):
        return "unspaced"
    return "english" if language == "en" else "spaced"


def _path(raw: bytes) -> Path:
    return Path(os.fsdecode(raw))
