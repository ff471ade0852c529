"""Digests a document in the document process: all pages in, evidence out.

It runs there and not in the window's process because it is much pattern matching on text that
somebody else wrote: there it has limits, and takes no time from the window.
"""

import threading
from collections.abc import Callable, Iterator

from app.documents.choosing import Analysis, analyze, unit_of
from app.documents.document import ReadDocument
from app.documents.evidence import Digest, Evidence
from app.documents.frames import (
    COMMANDS,
    DIGEST_EVENTS,
    DigestPages,
    PageRead,
    PagesDone,
    Stage,
)
from app.documents.options import SummaryOptions
from app.documents.passages import passage_round
from app.documents.rows import row_of
from app.documents.sandbox import LimitReached, Limits, ProcessGone, converse
from app.documents.tables import describe
from app.documents.tidying import tidy
from app.documents.titles import title_of
from app.errors import DocumentTooLarge, DocumentUnreadable
from inference.child import Child


def digest(
    document: ReadDocument,
    *,
    launch: Callable[[], Child],
    options: SummaryOptions | None = None,
    on_stage: Callable[[str, int, int], None] | None = None,
    cancelled: threading.Event | None = None,
    limits: Limits | None = None,
) -> Digest:
    """Have `document` digested by a document process; blocks until that is done.

    `on_stage` gets `reading` with pages done and in all, then `choosing`.

    Raises:
        DocumentTooLarge: It took too long or too much memory.
        DocumentUnreadable: The process crashed over it.
        Cancelled: `cancelled` was set.
    """
    events = converse(
        launch,
        _commands(document, options or SummaryOptions(), on_stage),
        DIGEST_EVENTS,
        limits=limits or Limits(step_s=300.0),
        cancelled=cancelled or threading.Event(),
    )
    try:
        for event in events:
            if isinstance(event, Digest):
                return event
            if on_stage:
                on_stage(event.name, event.done, event.total)
    except LimitReached as limit:
        raise DocumentTooLarge(name=document.name, limit=str(limit)) from limit
    except ProcessGone as error:
        raise DocumentUnreadable(name=document.name, reason="it made the reader stop") from error
    finally:
        events.close()
    raise DocumentUnreadable(name=document.name, reason="it made the reader stop")


def _commands(
    document: ReadDocument,
    options: SummaryOptions,
    on_stage: Callable[[str, int, int], None] | None,
) -> Iterator[bytes]:
    """Yield the document page by page, so that no frame holds the interpreter for long."""
    command = DigestPages(
        document.name,
        document.title,
        document.bookmarks,
        options.length,
        document.kind,
        document.report.unit,
        options.style,
    )
    yield COMMANDS.encode(command)
    for page in document.pages:
        if on_stage:
            on_stage("reading", page.number, len(document.pages))
        yield COMMANDS.encode(PageRead(page))
    yield COMMANDS.encode(PagesDone())


def make_digest(
    document: ReadDocument, options: SummaryOptions, on_stage: Callable[[Stage], None]
) -> Digest:
    """Digest `document` here; what the document process does."""
    analysis = analyze(document, options=options, on_stage=on_stage)
    evidence = [_evidence(analysis, place, options) for place in analysis.chosen]
    if options.style in ("points", "paragraph"):
        evidence += _of_sheets(document, analysis.language)
        evidence.sort(key=lambda item: item.page)
    titled = dict.fromkeys(item.section for item in evidence if item.section and not item.passage)
    sections = dict.fromkeys(section for section in analysis.section_sizes if section)
    return Digest(
        title=title_of(document),
        language=analysis.language,
        sections=tuple(sections | titled),
        evidence=tuple(evidence),
        sentence_count=len(analysis.sentences),
        left_out=dict(analysis.left_out),
        figures=tuple(_evidence(analysis, place, options) for place in analysis.figures),
    )


def _evidence(analysis: Analysis, place: int, options: SummaryOptions) -> Evidence:
    sentence = analysis.sentences[place]
    return Evidence(
        text=sentence.text,
        shown=tidy(sentence.text),
        page=sentence.page,
        section=sentence.section,
        heading=sentence.heading,
        passage=passage_round(analysis.sentences, place, analysis.language),
        score=analysis.scores.get(place, 0.0),
        row=row_of(sentence, options.style, analysis.language),
    )


def _of_sheets(document: ReadDocument, language: str) -> list[Evidence]:
    return [
        item
        for page in document.pages
        if unit_of(page, document) == "sheet"
        for item in describe(page, language)
    ]
