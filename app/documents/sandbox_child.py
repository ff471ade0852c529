"""The document process: works on what somebody else wrote, behind walls.

It reads one file and streams its pages back, or digests pages. Everything it needs is imported
before the walls close, because afterwards it can open that one file and nothing else. It ends at
once when the other end of the pipe goes away.
"""

import contextlib
import hashlib
import heapq  # noqa: F401 - Counter.most_common imports it the first time, behind the walls
import os
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from app.documents import decoding, pdf, plain_text, sniffing
from app.documents.digesting import make_digest
from app.documents.document import Page, ReadDocument
from app.documents.frames import (
    COMMANDS,
    DIGEST_EVENTS,
    READING_EVENTS,
    DigestPages,
    Length,
    Opened,
    PageRead,
    PagesDone,
    ReadFile,
    ReadingFailed,
    Stage,
    unwire_path,
)
from app.documents.sandbox import Limits
from app.documents.values import IntakeReport
from app.errors import DocumentEmpty, DocumentError, DocumentLocked, DocumentUnreadable
from app.privacy import walls
from inference.errors import BadFrame

try:
    import resource
except ImportError:  # Windows has no such limit; the parent watches the memory there
    resource = None  # type: ignore[assignment]

_BLOCK_BYTES = 1 << 20


def serve(connection: Connection) -> int:
    """Do the one piece of work that is asked for; return the exit code."""
    try:
        command = COMMANDS.decode(connection.recv_bytes())
        document = _receive(command, connection) if isinstance(command, DigestPages) else None
    except (EOFError, OSError, BadFrame):
        return 1
    threading.Thread(target=_end_with_the_pipe, args=(connection,), daemon=True).start()
    try:
        if isinstance(command, ReadFile):
            _answer_reading(command, connection)
        elif document is not None:
            _close_walls(Path(os.devnull), Limits().address_bytes)
            _digest(document, command.length, connection)
    except OSError:
        return 1
    return 0


def _receive(command: DigestPages, connection: Connection) -> ReadDocument:
    """Put the document together again; the report stays where the document came from."""
    pages: list[Page] = []
    while isinstance(frame := COMMANDS.decode(connection.recv_bytes()), PageRead):
        pages.append(frame.page)
    report = IntakeReport("page", len(pages), len(pages), 0, 0, 0)
    return ReadDocument(
        command.name, 0, "", "text", command.title, report, tuple(pages), command.bookmarks
    )


def _digest(document: ReadDocument, length: Length, connection: Connection) -> None:
    def tell(stage: Stage) -> None:
        connection.send_bytes(DIGEST_EVENTS.encode(stage))

    connection.send_bytes(DIGEST_EVENTS.encode(make_digest(document, length, tell)))


def _answer_reading(command: ReadFile, connection: Connection) -> None:
    path = unwire_path(command.path)
    try:
        _close_walls(path, command.memory_bytes)
        _read(path, command.password, connection)
    except DocumentError as error:
        connection.send_bytes(READING_EVENTS.encode(ReadingFailed(error.code, error.facts)))
    except MemoryError:
        failed = ReadingFailed("document_too_large", {"limit": "memory"})
        connection.send_bytes(READING_EVENTS.encode(failed))


def _end_with_the_pipe(connection: Connection) -> None:
    """Wait for the parent to go; native code that reads a page is not waited for."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv_bytes()
    os._exit(0)


def _close_walls(only: Path, address_bytes: int) -> None:
    decoding.prepare()
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = address_bytes if hard == resource.RLIM_INFINITY else min(address_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    walls.only_file(only)


def _read(path: Path, password: str | None, connection: Connection) -> None:
    with path.open("rb") as stream:
        kind = sniffing.sniff(stream)
    file: pdf.PdfFile | plain_text.TextFile
    if kind == sniffing.PDF:
        file = _open_pdf(path, password)
    elif kind == sniffing.TEXT:
        file = _open_text(path)
    else:
        raise DocumentUnreadable(reason=f"it is {kind}")
    if not len(file):
        raise DocumentEmpty
    size_bytes, sha256 = _identity(path)
    opened = Opened(
        kind=file.kind,
        unit=file.unit,
        total=len(file),
        title=file.title,
        size_bytes=size_bytes,
        sha256=sha256,
        bookmarks=file.bookmarks,
    )
    connection.send_bytes(READING_EVENTS.encode(opened))
    for page in file.pages():
        connection.send_bytes(READING_EVENTS.encode(PageRead(page)))
    connection.send_bytes(READING_EVENTS.encode(PagesDone()))


def _open_pdf(path: Path, password: str | None) -> pdf.PdfFile:
    try:
        return pdf.PdfFile(path, password)
    except pdf.PasswordNeeded as error:
        raise DocumentLocked from error
    except pdf.DynamicForm as error:
        reason = "it is a dynamic form that only Adobe's programs show"
        raise DocumentUnreadable(reason=reason) from error
    except pdf.Damaged as error:
        raise DocumentUnreadable(reason="it is damaged") from error


def _open_text(path: Path) -> plain_text.TextFile:
    with path.open("rb") as stream:
        return plain_text.read_text(stream)


def _identity(path: Path) -> tuple[int, str]:
    """Return the file's size in bytes and its SHA-256."""
    digest = hashlib.sha256()
    size_bytes = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
            size_bytes += len(block)
    return size_bytes, digest.hexdigest()
