"""Recognizes the text of pages that are pictures, in a process behind walls.

The process stays for all pages of a document. A page that kills it, or takes too long or too much,
is skipped with a reason, and a new process takes the rest.
"""

import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from app.documents.frames import wire_path
from app.documents.ocr.frames import (
    ENGINE,
    OCR_COMMANDS,
    OCR_EVENTS,
    AllRecognized,
    Ready,
    RecognizedPage,
    RecognizePages,
    RecognizingFailed,
    Skipped,
    dump,
    load,
)
from app.documents.sandbox import LimitReached, Limits, ProcessGone, converse
from app.errors import (
    DocumentError,
    DocumentLocked,
    DocumentTooLarge,
    DocumentUnreadable,
    RecognitionUnavailable,
)
from app.ports import RecognizedPages
from inference import threads
from inference.child import Child
from inference.errors import BadFrame

LIMITS = Limits(
    memory_bytes=1_600_000_000, address_bytes=6_000_000_000, step_s=60.0, total_s=math.inf
)
# A document that ends one process after another is left alone.
_MOST_LOST = 5
_ERRORS: dict[str, type[DocumentError]] = {
    cls.code: cls
    for cls in (DocumentLocked, DocumentTooLarge, DocumentUnreadable, RecognitionUnavailable)
}


def recognize(
    path: Path,
    pages: Sequence[int],
    *,
    launch: Callable[[], Child],
    password: str | None = None,
    on_page: Callable[[RecognizedPage], None],
    cancelled: threading.Event | None = None,
    limits: Limits | None = None,
) -> None:
    """Recognize `pages`, from 1, of the document at `path`; blocks, so it belongs on a worker.

    `launch` starts a process for the verb `ocr`. `on_page` gets each page as it is done, in the
    order of `pages`, on this thread; pages that had to be skipped as well, with their reason.

    Raises:
        DocumentError: DocumentLocked, DocumentTooLarge, DocumentUnreadable or, where this build
            cannot recognize text, RecognitionUnavailable; each with the fact `name`.
        Cancelled: `cancelled` was set; noticed within a tenth of a second.
    """
    run = _Run(path, launch, password, cancelled or threading.Event(), limits or LIMITS)
    left = list(pages)
    lost = 0
    while left:
        reason = run.take(left, on_page)
        if reason:
            lost += 1
            skipped = left if lost >= _MOST_LOST else left[:1]
            for number in skipped:
                on_page(RecognizedPage(number, (), 0.0, reason))
            left = left[len(skipped) :]


def recognize_once(
    path: Path,
    sha256: str,
    pages: Sequence[int],
    *,
    known: RecognizedPages | None,
    launch: Callable[[], Child],
    password: str | None = None,
    on_page: Callable[[RecognizedPage], None],
    cancelled: threading.Event | None = None,
    limits: Limits | None = None,
) -> None:
    """Do what `recognize` does, but take what is kept from `known`, and keep there what is new.

    `sha256` is that of the file. Pages that are known come first; without others no process is
    started.
    """
    found = {number: _kept(known, sha256, number) for number in pages}
    for page in found.values():
        if page is not None:
            on_page(page)

    def keep(page: RecognizedPage) -> None:
        if known is not None and not page.reason:
            known.put(sha256, page.number, ENGINE, dump(page))
        on_page(page)

    recognize(
        path,
        [number for number, page in found.items() if page is None],
        launch=launch,
        password=password,
        on_page=keep,
        cancelled=cancelled,
        limits=limits,
    )


def _kept(known: RecognizedPages | None, sha256: str, number: int) -> RecognizedPage | None:
    kept = known.get(sha256, number, ENGINE) if known is not None else None
    if kept is None:
        return None
    try:
        return load(kept)
    except BadFrame:  # from a Snug whose pages were made otherwise: it is read again
        return None


class _Run:
    """One document's processes, one after the other."""

    def __init__(
        self,
        path: Path,
        launch: Callable[[], Child],
        password: str | None,
        cancelled: threading.Event,
        limits: Limits,
    ) -> None:
        self._path = path
        self._launch = launch
        self._password = password
        self._cancelled = cancelled
        self._limits = limits
        self._is_ready = False

    def take(self, left: list[int], on_page: Callable[[RecognizedPage], None]) -> Skipped:
        """Recognize pages and remove them from `left`; return why the first of the rest failed."""
        events = converse(
            self._launch,
            (OCR_COMMANDS.encode(self._command(left)),),
            OCR_EVENTS,
            limits=self._limits,
            cancelled=self._cancelled,
        )
        self._is_ready = False
        try:
            for event in events:
                if isinstance(event, AllRecognized):
                    break
                self._take(event, left, on_page)
        except LimitReached as limit:
            return self._lost("time" if str(limit) == "time" else "memory", limit)
        except ProcessGone as error:
            return self._lost("crash", error)
        finally:
            events.close()
        left.clear()
        return ""

    def _command(self, left: Sequence[int]) -> RecognizePages:
        return RecognizePages(
            wire_path(self._path.absolute()),
            self._password,
            tuple(left),
            self._limits.address_bytes,
            threads.share("ocr"),
        )

    def _take(
        self, event: object, left: list[int], on_page: Callable[[RecognizedPage], None]
    ) -> None:
        if isinstance(event, RecognizingFailed):
            facts = {**event.facts, "name": self._path.name}
            if event.code == DocumentLocked.code:
                facts["wrong"] = int(self._password is not None)
            raise _ERRORS.get(event.code, DocumentUnreadable)(**facts)
        if isinstance(event, RecognizedPage):
            if not left or event.number != left[0]:
                raise ProcessGone
            del left[0]
            on_page(event)
        self._is_ready = self._is_ready or isinstance(event, Ready)

    def _lost(self, reason: Skipped, error: Exception) -> Skipped:
        """Return why a page is to be skipped; raise where it was no page's fault."""
        if self._is_ready:
            return reason
        if reason == "crash":
            reason_text = "it made the text recognition stop"
            raise DocumentUnreadable(name=self._path.name, reason=reason_text) from error
        raise DocumentTooLarge(name=self._path.name, limit=reason) from error
