"""The document process: reads one untrusted file behind walls and streams its pages back.

Everything that reading needs is imported before the walls close, because afterwards the process
can open that one file and nothing else. It ends at once when the other end of the pipe goes away.
"""

import contextlib
import hashlib
import os
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from app.documents import decoding, pdf, plain_text, sniffing
from app.documents.frames import (
    COMMANDS,
    READING_EVENTS,
    Opened,
    PageRead,
    ReadFile,
    ReadingDone,
    ReadingFailed,
    unwire_path,
)
from app.errors import DocumentEmpty, DocumentError, DocumentLocked, DocumentUnreadable
from app.privacy import walls
from inference.errors import BadFrame

try:
    import resource
except ImportError:  # Windows has no such limit; the parent watches the memory there
    resource = None  # type: ignore[assignment]

_BLOCK_BYTES = 1 << 20


def serve(connection: Connection) -> int:
    """Read the one file that is asked for; return the exit code."""
    try:
        command = COMMANDS.decode(connection.recv_bytes())
    except (EOFError, OSError, BadFrame):
        return 1
    threading.Thread(target=_end_with_the_pipe, args=(connection,), daemon=True).start()
    try:
        _close_walls(command)
        _read(command, connection)
    except DocumentError as error:
        connection.send_bytes(READING_EVENTS.encode(ReadingFailed(error.code, error.facts)))
    except MemoryError:
        failed = ReadingFailed("document_too_large", {"limit": "memory"})
        connection.send_bytes(READING_EVENTS.encode(failed))
    except OSError:
        return 1
    return 0


def _end_with_the_pipe(connection: Connection) -> None:
    """Wait for the parent to go; native code that reads a page is not waited for."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv_bytes()
    os._exit(0)


def _close_walls(command: ReadFile) -> None:
    decoding.prepare()
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = command.memory_bytes
        if hard != resource.RLIM_INFINITY:
            soft = min(soft, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    walls.only_file(unwire_path(command.path))


def _read(command: ReadFile, connection: Connection) -> None:
    path = unwire_path(command.path)
    with path.open("rb") as stream:
        kind = sniffing.sniff(stream)
    file: pdf.PdfFile | plain_text.TextFile
    if kind == sniffing.PDF:
        file = _open_pdf(path, command.password)
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
    connection.send_bytes(READING_EVENTS.encode(ReadingDone()))


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
