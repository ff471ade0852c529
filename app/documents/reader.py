"""Reads a document in a walled process, and answers with its pages or with a typed error."""

import os
import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from app.documents.document import Page, ReadDocument
from app.documents.frames import (
    COMMANDS,
    READING_EVENTS,
    Found,
    Opened,
    PageRead,
    ReadFile,
    ReadingFailed,
    wire_path,
)
from app.documents.hyphens import joined
from app.documents.sandbox import LimitReached, Limits, ProcessGone, converse
from app.documents.values import IntakeReport, Unit
from app.errors import (
    DocumentEmpty,
    DocumentError,
    DocumentLocked,
    DocumentTooLarge,
    DocumentUnreadable,
    NotAFile,
)
from inference.child import Child
from inference.errors import Fact

# All files of an archive are opened before the first page comes.
LIMITS = Limits(open_s=180.0)
_ERRORS: dict[str, type[DocumentError]] = {
    cls.code: cls for cls in (DocumentEmpty, DocumentLocked, DocumentTooLarge, DocumentUnreadable)
}


def read_document(
    path: Path,
    *,
    launch: Callable[[], Child],
    password: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: threading.Event | None = None,
    limits: Limits | None = None,
) -> ReadDocument:
    """Read the document at `path`; blocks, so it belongs on a worker thread.

    `launch` starts a document process. `on_progress` gets the units read and the units in all,
    after each unit. Setting `cancelled` ends the reading within a tenth of a second.

    Raises:
        DocumentError: One of its subclasses, each with the fact `name`.
        Cancelled: `cancelled` was set.
    """
    limits = limits or LIMITS
    _check_file(path, limits)
    command = ReadFile(wire_path(path.absolute()), password, limits.address_bytes)
    events = converse(
        launch,
        (COMMANDS.encode(command),),
        READING_EVENTS,
        limits=limits,
        cancelled=cancelled or threading.Event(),
    )
    reading = _Reading(path.name, limits, on_progress)
    try:
        for event in events:
            if isinstance(event, Opened):
                reading.open(event)
            elif isinstance(event, PageRead):
                reading.take(event.page)
            elif isinstance(event, ReadingFailed):
                raise _error(event.code, {**event.facts, "name": path.name})
            elif isinstance(event, Found):
                reading.finish(event)
                break
    except LimitReached as limit:
        raise DocumentTooLarge(name=path.name, limit=str(limit)) from limit
    except ProcessGone as error:
        raise DocumentUnreadable(name=path.name, reason="it made the reader stop") from error
    finally:
        events.close()
    return reading.document()


def _check_file(path: Path, limits: Limits) -> None:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise NotAFile(name=path.name) from error
    if not stat.S_ISREG(status.st_mode):
        raise NotAFile(name=path.name)
    if not status.st_size:
        raise DocumentEmpty(name=path.name)
    if status.st_size > limits.file_bytes:
        raise DocumentTooLarge(name=path.name, limit=f"{limits.file_bytes // 1_000_000} MB")
    if not os.access(path, os.R_OK):
        raise DocumentUnreadable(name=path.name, reason="you are not allowed to open it")


def _error(code: str, facts: dict[str, Fact]) -> DocumentError:
    return _ERRORS.get(code, DocumentUnreadable)(**facts)


class _Reading:
    """The document as far as it has come through the pipe."""

    def __init__(
        self, name: str, limits: Limits, on_progress: Callable[[int, int], None] | None
    ) -> None:
        self._name = name
        self._limits = limits
        self._on_progress = on_progress
        self._opened: Opened | None = None
        self._pages: list[Page] = []
        self._found = Found()

    def open(self, opened: Opened) -> None:
        if opened.total > self._limits.units:
            limit = f"{self._limits.units} {opened.unit}s"
            raise DocumentTooLarge(name=self._name, limit=limit)
        self._opened = opened

    def take(self, page: Page) -> None:
        self._pages.append(page)
        if self._on_progress and self._opened:
            self._on_progress(len(self._pages), self._opened.total)

    def finish(self, found: Found) -> None:
        self._found = found

    def document(self) -> ReadDocument:
        opened = self._opened
        if opened is None:
            raise DocumentUnreadable(name=self._name, reason="it made the reader stop")
        return ReadDocument(
            name=self._name,
            size_bytes=opened.size_bytes,
            sha256=opened.sha256,
            kind=opened.kind,
            title=opened.title,
            report=make_report(opened.unit, opened.total, self._pages, self._found),
            pages=joined(self._pages),
            bookmarks=opened.bookmarks,
        )


def make_report(unit: Unit, total: int, pages: Sequence[Page], found: Found) -> IntakeReport:
    """Return what was found in a document of which `pages` were read."""
    recognized = [page.ocr_confidence for page in pages if page.ocr_confidence]
    return IntakeReport(
        unit=unit,
        total=total,
        read=len(pages),
        without_text=sum(page.state in ("without_text", "blank") for page in pages),
        unreadable=sum(page.state == "unreadable" for page in pages),
        words=sum(len(line.text.split()) for page in pages for line in page.lines),
        ocr=len(recognized),
        ocr_confidence=sum(recognized) / len(recognized) if recognized else 0.0,
        tables=found.tables,
        parts=found.parts,
        hidden=found.hidden,
        left_out=found.left_out,
    )
