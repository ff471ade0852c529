"""Takes a document in: reads it, has the pages that are pictures recognized, reports both.

What cannot be recognized never takes away what could be read: it is left out, with a reason.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.documents.document import Kind, Page, ReadDocument
from app.documents.formats.format import Findings
from app.documents.frames import Found
from app.documents.ocr.merging import merged
from app.documents.orders import orders_in
from app.documents.reader import make_report, read_document
from app.documents.sandbox import Limits
from app.documents.values import LeftOut
from app.errors import DocumentError
from app.ports import RecognizedPages
from inference.child import Child

if TYPE_CHECKING:
    from app.documents.ocr.frames import RecognizedPage

# Formats that pdfium or Pillow can draw, or that hold such; and what is drawn of them.
_DRAWN: frozenset[Kind] = frozenset(("pdf", "image", "mail", "archive"))
_DRAWN_UNITS = ("page", "image")
# Before this much was measured, a guess of what is left says nothing.
_SHORTEST_MEASURE_S = 1.0


@dataclass(frozen=True, slots=True)
class IntakeProgress:
    """How far a document has come.

    Attributes:
        done: Units of this stage.
        total: Of them.
        seconds_left: Of this stage, or None while nobody can know.
    """

    stage: Literal["reading", "recognizing"]
    done: int
    total: int
    seconds_left: float | None = None


OnProgress = Callable[[IntakeProgress], None]


class Intake:
    """Reads documents; any number of threads, each call blocks.

    Args:
        launch: Starts a process for the verb `document`.
        launch_ocr: Starts one for the verb `ocr`; without it no picture is recognized.
        recognized: Keeps what was recognized, so that no page is recognized twice.
        limits: Of the reading; the recognizing has its own.
        now_s: A clock.
    """

    def __init__(
        self,
        launch: Callable[[], Child],
        launch_ocr: Callable[[], Child] | None = None,
        recognized: RecognizedPages | None = None,
        *,
        limits: Limits | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._launch = launch
        self._launch_ocr = launch_ocr
        self._recognized = recognized
        self._limits = limits
        self._now_s = now_s

    def read(
        self,
        path: Path,
        *,
        password: str | None = None,
        on_progress: OnProgress | None = None,
        cancelled: threading.Event | None = None,
    ) -> ReadDocument:
        """Read the document at `path`, its pictures included.

        Raises:
            DocumentError: One of its subclasses, each with the fact `name`.
            Cancelled: `cancelled` was set.
        """
        document = read_document(
            path,
            launch=self._launch,
            password=password,
            on_progress=self._clock("reading", on_progress),
            cancelled=cancelled,
            limits=self._limits,
        )
        wanted = _pictures(document)
        if not wanted or self._launch_ocr is None:
            return document
        # Imported where it is needed: most documents hold no pictures.
        from app.documents.ocr.recognizing import recognize_once  # noqa: PLC0415

        tell = self._clock("recognizing", on_progress)
        merge = _Merge(document)

        def take(page: "RecognizedPage") -> None:
            merge.take(page)
            if tell:
                tell(merge.done, len(wanted))

        try:
            recognize_once(
                path,
                document.sha256,
                wanted,
                known=self._recognized,
                launch=self._launch_ocr,
                password=password,
                on_page=take,
                cancelled=cancelled,
            )
        except DocumentError as error:
            return merge.document(wanted, error)
        return merge.document(wanted)

    def _clock(
        self, stage: Literal["reading", "recognizing"], on_progress: OnProgress | None
    ) -> Callable[[int, int], None] | None:
        """Return what tells `on_progress` of units done and in all, and of the time left."""
        if on_progress is None:
            return None
        started_s = self._now_s()

        def tell(done: int, total: int) -> None:
            spent_s = self._now_s() - started_s
            is_known = done and spent_s >= _SHORTEST_MEASURE_S
            left_s = spent_s / done * (total - done) if is_known else None
            on_progress(IntakeProgress(stage, done, total, left_s))

        return tell


class _Merge:
    """A document into which recognized pages are put."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._recognized: dict[int, RecognizedPage] = {}

    @property
    def done(self) -> int:
        return len(self._recognized)

    def take(self, page: "RecognizedPage") -> None:
        self._recognized[page.number] = page

    def document(self, wanted: Sequence[int], error: DocumentError | None = None) -> ReadDocument:
        """Return the document with what was recognized; `error` is why the rest was not."""
        document, report = self._document, self._document.report
        pages = tuple(self._merged(page) for page in document.pages)
        left_out = list(report.left_out)
        failed = [
            number
            for number in wanted
            if number not in self._recognized or self._recognized[number].reason
        ]
        if failed and error is not None:
            left_out.append(LeftOut(error.code, document.name, len(failed), _detail(error)))
        elif failed:
            left_out.append(
                LeftOut("pages_not_recognized", document.name, len(failed), ranges(failed))
            )
        findings = Findings(hidden=list(report.hidden))
        for page in pages:
            if page.ocr_confidence:
                for order in orders_in(page.text):
                    findings.hide("order", page.number, order)
        hidden = tuple(findings.hidden)
        found = Found(report.tables, report.parts, hidden, tuple(left_out))
        return replace(
            document, pages=pages, report=make_report(report.unit, report.total, pages, found)
        )

    def _merged(self, page: Page) -> Page:
        found = self._recognized.get(page.number)
        return page if found is None else merged(page, found)


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers for people, such as `1-3, 7`."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = spans[-1][0], number
        else:
            spans.append((number, number))
    return ", ".join(f"{first}-{last}" if first < last else f"{first}" for first, last in spans)


def _pictures(document: ReadDocument) -> list[int]:
    """Return the numbers of the pages whose text, if any, is in their picture only."""
    if document.kind not in _DRAWN:
        return []
    return [
        page.number
        for page in document.pages
        if page.state in ("without_text", "unreadable")
        and (page.unit or document.report.unit) in _DRAWN_UNITS
    ]


def _detail(error: DocumentError) -> str:
    return str(error.facts.get("reason") or error.facts.get("limit") or "")
