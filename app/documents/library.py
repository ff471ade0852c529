"""Folders that stay indexed: what is in them is read when it appears or changes.

Folders are looked through again and again, because the systems' own ways to be told of changes
differ and miss changes on network drives; looking costs a call for each file. Whatever ends the
program, a file is in the index as a whole or not at all, and the next round goes on. Words come
first, so that a new folder can be asked within minutes; vectors follow.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.documents.document import ReadDocument
from app.documents.folders import expand
from app.documents.library_search import Embedding, LibrarySearch, Run
from app.documents.library_values import LibraryView
from app.documents.values import LeftOut
from app.documents.words import language_of
from app.errors import DocumentError, StoreError
from app.store.database import Database
from app.store.library import ChunkRow, FileRow, LibraryRows
from inference import digests
from inference.errors import Cancelled, InferenceError

if TYPE_CHECKING:
    from app.documents.retrieval import Retrieved

Read = Callable[[Path, threading.Event], ReadDocument]
"""Reads a document, or raises DocumentError or Cancelled; blocks."""

LOOK_EVERY_S = 30.0

# A look through many files or a slow drive must not become a load of its own.
_LOOK_SHARE = 50
_BUSY_S = 0.25
# A store that cannot be opened may ask a person for its key at each try.
_AFTER_TROUBLE_S = 120.0
_BATCH = 32
_LANGUAGE_CHARS = 20_000
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    size_bytes: int
    mtime_ns: int


class Library:
    """The library of one store; all methods may be called from any thread.

    Args:
        run: Runs work on the store's thread; see `ChatService.with_database`.
        read: Reads one document, pictures included.
        embedding: Turns texts into vectors where a model for it is installed.
        is_busy: Whether a person waits for something else; the library then waits.
        look_every_s: Seconds between two looks through the folders.
        first_look_s: Seconds until the first, unless a folder is added before.
    """

    def __init__(
        self,
        run: Run,
        read: Read,
        embedding: Embedding,
        *,
        is_busy: Callable[[], bool] = lambda: False,
        look_every_s: float = LOOK_EVERY_S,
        first_look_s: float = 0.0,
    ) -> None:
        self._run = run
        self._read = read
        self._embedding = embedding
        self._is_busy = is_busy
        self._look_every_s = look_every_s
        self._first_look_s = first_look_s
        self._search = LibrarySearch(run, embedding)
        self._view = LibraryView()
        self._changed = threading.Condition()
        self._wanted = 1
        self._done = 0
        self._is_paused = False
        self._stop = threading.Event()
        self._is_closed = False
        self._look_took_s = 0.0
        self._thread = threading.Thread(target=self._work, name="library", daemon=True)

    def start(self) -> None:
        """Begin to look through the folders; called once."""
        self._thread.start()

    def folders(self) -> tuple[Path, ...]:
        """Return the folders as they were last looked at. Never blocks."""
        return self._view.folders

    def state(self) -> LibraryView:
        """Return how far it is. Never blocks."""
        return replace(self._view, paused=self._is_paused)

    def add(self, path: Path) -> "Future[None]":
        """Index a folder, or a single file, from now on."""
        folder = path.absolute()
        done = self._run(lambda database: LibraryRows(database).add_folder(folder))
        self._look_again()
        return done

    def remove(self, path: Path) -> "Future[None]":
        """Forget a folder and everything that was read in it."""
        folder = path.absolute()
        done = self._run(lambda database: LibraryRows(database).remove_folder(folder))
        self._look_again()
        return done

    def pause(self) -> None:
        """Read nothing more until `resume`; what was read can be asked."""
        with self._changed:
            self._is_paused = True
            self._stop.set()
            self._changed.notify_all()

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            self._is_paused = False
            self._stop.clear()
        self._look_again()

    def search(self, question: str, limit: int = 4) -> "Retrieved":
        """Return the passages that fit `question` best; blocks.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._search.find(question, limit)

    def languages(self) -> "Future[dict[str, int]]":
        """Return how many chunks are in documents of each language; `?` is an unknown one."""
        return self._run(lambda database: LibraryRows(database).languages())

    def look(self) -> None:
        """Take from the store what `state` shows, without looking through folders; blocks.

        Raises:
            StoreError: The store cannot be read.
        """
        folders, rows = self._run(_folders_and_files).result()
        self._show(folders, len(rows), rows)

    def path_of(self, document_id: str) -> "Future[Path | None]":
        """Return where the file of a passage is."""
        return self._run(lambda database: LibraryRows(database).path_of(int(document_id)))

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until a round that began after the last change is over; return whether it is."""
        with self._changed:
            wanted = self._wanted
            return self._changed.wait_for(
                lambda: self._done >= wanted or self._is_closed, timeout_s
            )

    def close(self) -> None:
        """End the reading and wait for its thread."""
        with self._changed:
            self._is_closed = True
            self._stop.set()
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join()

    def _look_again(self) -> None:
        with self._changed:
            self._wanted += 1
            self._changed.notify_all()

    def _work(self) -> None:
        with self._changed:
            first = self._wanted
            self._changed.wait_for(
                lambda: self._is_closed or self._wanted > first, self._first_look_s
            )
        while not self._is_closed:
            with self._changed:
                wanted = self._wanted
            if not self._is_paused:
                self._round()
            rest_s = max(self._look_every_s, _LOOK_SHARE * self._look_took_s)
            if self._view.trouble:
                rest_s = max(rest_s, _AFTER_TROUBLE_S)
            with self._changed:
                if not self._is_paused:
                    self._done = max(self._done, wanted)
                    self._changed.notify_all()
                self._changed.wait_for(
                    lambda: self._is_closed or (self._wanted > self._done and not self._is_paused),
                    rest_s,
                )

    def _round(self) -> None:
        """Bring the index up to date with the folders, as far as nothing stops it."""
        self._view = replace(self._view, working=True, trouble="")
        try:
            self._read_files()
            self._compute_vectors()
        except (Cancelled, CancelledError):
            pass  # paused or closed; the next round goes on
        except (StoreError, InferenceError, OSError) as error:
            code = getattr(error, "code", "unknown")
            _LOG.info("the library stopped: %s", code)
            self._view = replace(self._view, trouble=str(code))
        finally:
            self._view = replace(self._view, working=False)

    def _read_files(self) -> None:
        folders, rows = self._run(_folders_and_files).result()
        began_s = time.monotonic()
        seen = _look(folders)
        self._look_took_s = time.monotonic() - began_s
        known = {row.path: row for row in rows}
        # A drive that is unplugged is not empty: what was read of it stays.
        away = [folder for folder in folders if not folder.is_dir()]
        gone = {
            row.path: row
            for row in rows
            if row.path not in seen and not any(row.path.is_relative_to(each) for each in away)
        }
        self._show(folders, len(seen), [row for row in rows if row.path in seen])
        for path, now in seen.items():
            before = known.get(path)
            if before and (before.size_bytes, before.mtime_ns) == (now.size_bytes, now.mtime_ns):
                continue
            self._wait_for_turn()
            self._take(path, now, before, gone)
            self._show(folders, len(seen), self._run(_folders_and_files).result()[1])
        if gone:
            keys = [row.key for row in gone.values()]
            self._run(lambda database: LibraryRows(database).drop(keys)).result()
            self._search.note_change()
        rows = self._run(_folders_and_files).result()[1]
        self._show(folders, len(seen), rows)

    def _take(
        self, path: Path, now: _Seen, before: FileRow | None, gone: dict[Path, FileRow]
    ) -> None:
        """Index one file; one with the content of a file that is known or gone is not read."""
        try:
            sha256 = digests.digest(path, cancelled=self._stop).sha256
        except OSError:
            return  # it went away, or nobody may read it; the next round looks again
        same = [before] if before else []
        same += [row for row in gone.values() if row.sha256 == sha256]
        found = next((row for row in same if row.sha256 == sha256 and not row.code), None)
        if found is not None:
            gone.pop(found.path, None)
            key = found.key
            self._run(
                lambda database: LibraryRows(database).touch(
                    key, path, size_bytes=now.size_bytes, mtime_ns=now.mtime_ns
                )
            ).result()
            return
        file = FileRow(0, path, now.size_bytes, now.mtime_ns, sha256)
        try:
            document = self._read(path, self._stop)
        except DocumentError as error:
            detail = str(error.facts.get("reason", error.facts.get("limit", "")))
            file = replace(file, code=error.code, detail=detail)
            self._put(file, (), "")
        else:
            self._put(file, _chunks(document), language_of(document.text[:_LANGUAGE_CHARS]))

    def _put(self, file: FileRow, chunks: Sequence[ChunkRow], language: str) -> None:
        self._run(lambda database: LibraryRows(database).put(file, chunks, language)).result()
        self._search.note_change()

    def _compute_vectors(self) -> None:
        import numpy as np  # noqa: PLC0415 - the window must not wait for it when it starts

        if not self._embedding.is_available:
            return
        while True:
            self._wait_for_turn()
            waiting = self._run(lambda database: LibraryRows(database).without_vector(_BATCH))
            batch = waiting.result()
            if not batch:
                return
            vectors = self._embedding.embed([text for _, text in batch], cancelled=self._stop)
            half = vectors.astype("<f2")
            rows = [
                (key, np.ascontiguousarray(row).tobytes())
                for (key, _), row in zip(batch, half, strict=True)
            ]
            self._put_vectors(rows)

    def _put_vectors(self, rows: Sequence[tuple[int, bytes]]) -> None:
        self._run(lambda database: LibraryRows(database).put_vectors(rows)).result()
        self._search.note_change()

    def _wait_for_turn(self) -> None:
        """Wait while a person waits for something else.

        Raises:
            Cancelled: It was paused or closed.
        """
        while not self._stop.is_set() and self._is_busy():
            self._stop.wait(_BUSY_S)
        if self._stop.is_set():
            raise Cancelled

    def _show(self, folders: tuple[Path, ...], files: int, rows: Sequence[FileRow]) -> None:
        failed = tuple(
            LeftOut(row.code, row.path.name, detail=row.detail) for row in rows if row.code
        )
        self._view = replace(
            self._view,
            folders=folders,
            files=files,
            indexed=len(rows) - len(failed),
            failed=failed,
        )


def _folders_and_files(database: Database) -> tuple[tuple[Path, ...], tuple[FileRow, ...]]:
    rows = LibraryRows(database)
    return rows.folders(), rows.files()


def _look(folders: Sequence[Path]) -> dict[Path, _Seen]:
    """Return the files in `folders`; links, pipes and what cannot be looked at are left out."""
    seen: dict[Path, _Seen] = {}
    for path in expand([folder for folder in folders if folder.exists()]):
        if isinstance(path, LeftOut):
            continue
        try:
            status = path.stat()
        except OSError:
            continue
        seen[path] = _Seen(status.st_size, status.st_mtime_ns)
    return seen


def _chunks(document: ReadDocument) -> tuple[ChunkRow, ...]:
    # Brings numpy, for which the window must not wait when it starts.
    from app.documents.chunking import chunks_of  # noqa: PLC0415
    from app.documents.retrieval import is_contents  # noqa: PLC0415

    return tuple(
        ChunkRow(
            json.dumps(asdict(chunk.place), ensure_ascii=False),
            "" if chunk.text.startswith(chunk.heading) else chunk.heading,
            chunk.text,
            json.dumps(chunk.sentences, ensure_ascii=False),
        )
        for chunk in chunks_of(document)
        if not is_contents(chunk.text)
    )
