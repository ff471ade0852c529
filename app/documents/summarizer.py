"""Summarizes a document: evidence first, and a model's words only where they pass.

The document's own sentences stand at once. A model that passed the self-test in the document's
language then puts one passage after the other into one sentence; what passes the check takes the
place of the sentence it came from, what does not is never shown.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from app.documents.ability import Ability, AbilityBook, measure_ability
from app.documents.checking import about_faults, faults, says_the_same
from app.documents.digesting import digest
from app.documents.document import ReadDocument
from app.documents.evidence import Digest, Evidence
from app.documents.frames import Length
from app.documents.prompts import Prompts, prompts_for
from app.documents.summary import (
    Note,
    Summary,
    SummaryStage,
    SummaryView,
    coverage_of,
)
from app.documents.values import Statement
from app.documents.writer import Writer
from app.models import catalog
from app.ports import TextGenerator
from inference.child import Child
from inference.errors import Cancelled, Fact, InferenceError

_POINTS_FOR_ABOUT = 14


class Summarizer:
    """Makes summaries; one at a time, on the caller's thread."""

    def __init__(
        self,
        generator: TextGenerator | None,
        abilities: AbilityBook,
        *,
        launch: Callable[[], Child],
    ) -> None:
        """Write with `generator` where it is able; `launch` starts a document process."""
        self._generator = generator
        self._abilities = abilities
        self._launch = launch

    def run(
        self,
        document: ReadDocument,
        *,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
        length: Length = "medium",
        seed: int = 0,
    ) -> Summary:
        """Summarize `document`; blocks, so it belongs on a worker thread.

        Once the evidence stands, cancelling and a failing model end the writing and not the
        summary: it is returned as far as it got, with a note that says so.

        Raises:
            DocumentError: The document process could not digest it.
            Cancelled: `cancelled` was set before there was anything to show.
        """
        run = _Run(document, on_update)
        digested = digest(
            document,
            launch=self._launch,
            length=length,
            on_stage=lambda name, done, total: run.tell(_STAGES[name], done, total),
            cancelled=cancelled,
        )
        run.start(digested)
        generator = self._generator
        prompts = prompts_for(digested.language)
        if not digested.evidence:
            return run.end("summary_nothing")
        if generator is None or not generator.model_id:
            return run.end("summary_no_model")
        if prompts is None:
            return run.end("summary_language", model=generator.model_id)
        writer = Writer(generator, prompts, cancelled=cancelled, seed=seed)
        try:
            return self._write(run, digested, writer, prompts, generator.model_id)
        except Cancelled:
            return run.end("summary_stopped", writer)
        except InferenceError:
            return run.end("summary_failed", writer, model=generator.model_id)

    def _write(
        self, run: "_Run", digested: Digest, writer: Writer, prompts: Prompts, model_id: str
    ) -> Summary:
        ability = self._ability(run, writer, prompts, model_id)
        facts: dict[str, Fact] = {
            "model": model_id,
            "passed": ability.passed,
            "asked": ability.asked,
        }
        if not ability.is_enough:
            able = [entry.id for entry in catalog.entries() if prompts.language in entry.summaries]
            if able and model_id not in able:
                facts["able"] = able[0]
            return run.end("summary_not_able", writer, **facts)
        run.write_statements(digested, writer)
        run.write_about(digested, writer, prompts)
        return run.end("summary_written", writer, **facts)

    def _ability(self, run: "_Run", writer: Writer, prompts: Prompts, model_id: str) -> Ability:
        known = self._abilities.get(model_id, prompts.language)
        if known is None:
            known = measure_ability(
                writer, prompts, on_probe=lambda done, total: run.tell("testing", done, total)
            )
            self._abilities.put(model_id, prompts.language, known)
        return known


_STAGES: dict[str, SummaryStage] = {"reading": "reading", "choosing": "choosing"}


class _Run:
    """One summary on its way; tells every change."""

    def __init__(self, document: ReadDocument, on_update: Callable[[SummaryView], None]) -> None:
        self._document = document
        self._on_update = on_update
        self._started_s = time.monotonic()
        self._summary: Summary | None = None

    def tell(self, stage: SummaryStage, done: int = 0, total: int = 0) -> None:
        self._on_update(SummaryView(stage, done, total, self._summary))

    def start(self, digested: Digest) -> None:
        """Let the document's own sentences stand."""
        self._summary = Summary(
            name=self._document.name,
            title=digested.title,
            language=digested.language,
            about="",
            sections=digested.sections,
            statements=tuple(_own_words(item, self._document) for item in digested.evidence),
            coverage=coverage_of(self._document),
            unreadable=self._document.report.unreadable,
            note="summary_written",
        )
        self.tell("choosing")

    def write_statements(self, digested: Digest, writer: Writer) -> None:
        """Replace one statement after the other by the model's, where it passes."""
        total = len(digested.evidence)
        first = _first_of_each_passage(digested.evidence)
        with closing(writer.main_points(digested.title, list(first.values()))) as sentences:
            for index, evidence in first.items():
                self.tell("writing", index + 1, total)
                written = next(sentences)
                # Passages that overlap can come back as the same sentence.
                if not written or self._is_said(written):
                    continue
                if not faults(written, evidence.passage, digested.language):
                    self._replace(index, written)
        self.tell("writing", total, total)

    def _is_said(self, written: str) -> bool:
        return any(
            statement.written and says_the_same(statement.text, written)
            for statement in self._known().statements
        )

    def write_about(self, digested: Digest, writer: Writer, prompts: Prompts) -> None:
        """Add the sentence on the whole document, where it passes."""
        summary = self._known()
        points = tuple(statement.text for statement in summary.statements[:_POINTS_FOR_ABOUT])
        source = " ".join((digested.title, *digested.sections, *points))
        about = writer.about(digested.title, points)
        if not about_faults(about, prompts.about_begins, source, digested.language):
            self._summary = replace(summary, about=about)

    def end(self, note: Note, writer: Writer | None = None, **facts: Fact) -> Summary:
        """Return the summary with the note that says who wrote it."""
        summary = replace(
            self._known(),
            note=note,
            note_facts=facts,
            model_id=str(facts.get("model", "")),
            seconds=round(time.monotonic() - self._started_s, 2),
        )
        if writer is not None:
            summary = replace(summary, usage=writer.usage)
        self._summary = summary
        self.tell("done")
        return summary

    def _replace(self, index: int, written: str) -> None:
        summary = self._known()
        statements = list(summary.statements)
        statements[index] = replace(statements[index], text=written, written=True)
        self._summary = replace(summary, statements=tuple(statements))

    def _known(self) -> Summary:
        if self._summary is None:
            raise RuntimeError("the evidence has not been chosen yet")
        return self._summary


def _first_of_each_passage(evidence: Sequence[Evidence]) -> dict[int, Evidence]:
    """Return by index what to write from: two choices out of one passage would say the same."""
    first: dict[int, Evidence] = {}
    passages: set[tuple[str, ...]] = set()
    for index, each in enumerate(evidence):
        if each.passage not in passages:
            first[index] = each
            passages.add(each.passage)
    return first


def _own_words(evidence: Evidence, document: ReadDocument) -> Statement:
    return Statement(
        text=evidence.shown,
        page=evidence.page,
        heading=evidence.section,
        evidence=evidence.text,
        written=False,
        place=document.place_of(evidence.page, evidence.cells),
    )
