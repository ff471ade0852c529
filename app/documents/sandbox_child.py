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
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import BinaryIO

from app.documents import decoding, sniffing
from app.documents.confining import confine
from app.documents.digesting import make_digest
from app.documents.document import Page, ReadDocument
from app.documents.formats import opening
from app.documents.formats.format import (
    Context,
    Findings,
    FormatError,
    PasswordNeeded,
    Source,
    TooMuch,
    Unsupported,
)
from app.documents.frames import (
    COMMANDS,
    DIGEST_EVENTS,
    READING_EVENTS,
    DigestPages,
    Found,
    Opened,
    PageRead,
    ReadFile,
    ReadingFailed,
    Stage,
    unwire_path,
)
from app.documents.options import SummaryOptions
from app.documents.orders import orders_in
from app.documents.sandbox import Limits
from app.documents.values import Hidden, HiddenKind, IntakeReport
from app.errors import (
    DocumentEmpty,
    DocumentError,
    DocumentLocked,
    DocumentTooLarge,
    DocumentUnreadable,
)
from inference.errors import BadFrame, Fact

_BLOCK_BYTES = 1 << 20
_MOST_FOUND = 500


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
            decoding.prepare()
            confine(Path(os.devnull), Limits().address_bytes)
            _digest(document, SummaryOptions(command.length, command.style), connection)
    except OSError:
        return 1
    return 0


def _receive(command: DigestPages, connection: Connection) -> ReadDocument:
    """Put the document together again; the report stays where the document came from."""
    pages: list[Page] = []
    while isinstance(frame := COMMANDS.decode(connection.recv_bytes()), PageRead):
        pages.append(frame.page)
    report = IntakeReport(command.unit, len(pages), len(pages), 0, 0, 0)
    return ReadDocument(
        command.name, 0, "", command.kind, command.title, report, tuple(pages), command.bookmarks
    )


def _digest(document: ReadDocument, options: SummaryOptions, connection: Connection) -> None:
    def tell(stage: Stage) -> None:
        connection.send_bytes(DIGEST_EVENTS.encode(stage))

    connection.send_bytes(DIGEST_EVENTS.encode(make_digest(document, options, tell)))


def _answer_reading(command: ReadFile, connection: Connection) -> None:
    path = unwire_path(command.path)
    try:
        with path.open("rb") as stream:
            opening.prepare(sniffing.sniff(stream))
            confine(path, command.memory_bytes)
            _read(Source(path.name, stream, _size_bytes(stream)), command.password, connection)
    except DocumentError as error:
        _fail(connection, error.code, error.facts)
    except FormatError as error:
        code, facts = _said(error, has_password=command.password is not None)
        _fail(connection, code, facts)
    except MemoryError:
        _fail(connection, DocumentTooLarge.code, {"limit": "memory"})
    except RecursionError:
        _fail(connection, DocumentUnreadable.code, {"reason": "it is nested too deeply"})


def _said(error: FormatError, *, has_password: bool) -> tuple[str, dict[str, Fact]]:
    """Return the code and the facts that tell a person what is wrong with a file."""
    if isinstance(error, PasswordNeeded):
        return DocumentLocked.code, {"wrong": int(has_password)}
    if isinstance(error, TooMuch):
        return DocumentTooLarge.code, {"limit": str(error)}
    reason = f"it is {error}" if isinstance(error, Unsupported) else "it is damaged"
    return DocumentUnreadable.code, {"reason": reason}


def _fail(connection: Connection, code: str, facts: dict[str, Fact]) -> None:
    connection.send_bytes(READING_EVENTS.encode(ReadingFailed(code, facts)))


def _end_with_the_pipe(connection: Connection) -> None:
    """Wait for the parent to go; native code that reads a page is not waited for."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv_bytes()
    os._exit(0)


def _read(source: Source, password: str | None, connection: Connection) -> None:
    sha256 = _sha256(source.stream)
    file = opening.open_file(source, Context(password))
    if not len(file):
        raise _nothing(file.findings)
    opened = Opened(
        kind=file.kind,
        unit=file.unit,
        total=len(file),
        title=file.title,
        size_bytes=source.size_bytes,
        sha256=sha256,
        bookmarks=file.bookmarks,
    )
    connection.send_bytes(READING_EVENTS.encode(opened))
    found = file.findings
    for page in file.pages():
        connection.send_bytes(READING_EVENTS.encode(PageRead(page)))
        for order in orders_in(page.text):
            found.hide("order", page.number, order)
    event = Found(
        found.tables, found.parts, _few(found.hidden), tuple(found.left_out[:_MOST_FOUND])
    )
    connection.send_bytes(READING_EVENTS.encode(event))


def _nothing(found: Findings) -> DocumentError:
    """Return why a file gave no page at all."""
    if not found.left_out:
        return DocumentEmpty()
    first = found.left_out[0]
    return DocumentUnreadable(reason=f"nothing in it can be read ({first.name}: {first.detail})")


def _few(hidden: list[Hidden]) -> tuple[Hidden, ...]:
    """Return one entry for each kind on each page, and no more than a report can hold."""
    merged: dict[tuple[HiddenKind, int], Hidden] = {}
    for one in hidden:
        first = merged.setdefault((one.kind, one.page), one)
        if first is not one:
            merged[one.kind, one.page] = replace(first, words=first.words + one.words)
    return tuple(list(merged.values())[:_MOST_FOUND])


def _size_bytes(stream: BinaryIO) -> int:
    size_bytes = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size_bytes


def _sha256(stream: BinaryIO) -> str:
    """Return the digest of all of `stream`; rewinds it."""
    digest = hashlib.sha256()
    while block := stream.read(_BLOCK_BYTES):
        digest.update(block)
    stream.seek(0)
    return digest.hexdigest()
