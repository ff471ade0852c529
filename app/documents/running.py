"""One summary on its way: what it is so far, and every change told to whoever shows it."""

import time
from collections.abc import Callable
from dataclasses import replace

from app.documents.ability import Ability
from app.documents.checking import says_the_same
from app.documents.document import ReadDocument
from app.documents.evidence import Digest, Evidence
from app.documents.options import SummaryOptions
from app.documents.summary import Note, Summary, SummaryStage, SummaryView, coverage_of
from app.documents.values import Statement
from app.documents.writer import Writer
from inference.errors import Fact


class Run:
    """A summary that grows; one thread."""

    def __init__(
        self,
        document: ReadDocument,
        on_update: Callable[[SummaryView], None],
        options: SummaryOptions,
    ) -> None:
        self._document = document
        self._on_update = on_update
        self._options = options
        self._started_s = time.monotonic()
        self._writing_from_s = 0.0
        self._writing_s = 0.0
        self._summary: Summary | None = None

    @property
    def known(self) -> Summary:
        """The summary so far."""
        if self._summary is None:
            raise RuntimeError("the evidence has not been chosen yet")
        return self._summary

    def tell(self, stage: SummaryStage, done: int = 0, total: int = 0) -> None:
        """Tell how far it has come."""
        self._on_update(SummaryView(stage, done, total, self._summary))

    def start(self, digested: Digest) -> None:
        """Let the document's own sentences stand."""
        self._summary = Summary(
            name=self._document.name,
            title=digested.title,
            language=digested.language,
            about="",
            sections=digested.sections,
            statements=tuple(own_words(item, self._document) for item in digested.evidence),
            coverage=coverage_of(self._document),
            unreadable=self._document.report.unreadable,
            note="summary_written",
            style=self._options.style,
        )
        self.tell("choosing")

    def begin_writing(self) -> None:
        """Count the time from here as the model's."""
        self._writing_from_s = time.monotonic()

    def end_writing(self) -> None:
        """Stop counting."""
        if self._writing_from_s:
            self._writing_s += time.monotonic() - self._writing_from_s
            self._writing_from_s = 0.0

    def is_said(self, written: str) -> bool:
        """Tell whether the model has said the same already."""
        return any(
            statement.written and says_the_same(statement.text, written)
            for statement in self.known.statements
        )

    def replace_text(self, index: int, text: str, *, is_translated: bool = False) -> None:
        """Let the model's words stand in the place of a statement's."""
        statements = list(self.known.statements)
        old = statements[index]
        statements[index] = replace(old, text=text, written=True, translated=is_translated)
        self._summary = replace(self.known, statements=tuple(statements))

    def set_about(self, about: str) -> None:
        """Add the sentence on the whole document."""
        self._summary = replace(self.known, about=about)

    def keep_language(self, wished: str, model_id: str, ability: Ability | None = None) -> None:
        """Note why the summary stays in the document's own language, if another was wished."""
        if wished in ("", self.known.language):
            return
        facts: dict[str, Fact] = {"model": model_id, "language": wished}
        if ability is None:
            self._summary = replace(self.known, also="summary_no_translation", also_facts=facts)
            return
        facts |= {"passed": ability.passed, "asked": ability.asked}
        self._summary = replace(self.known, also="summary_not_translated", also_facts=facts)

    def note_translated(self, wished: str, model_id: str, count: int) -> None:
        """Note that `count` statements are in the language wished for."""
        facts: dict[str, Fact] = {
            "model": model_id,
            "language": wished,
            "count": count,
            "total": len(self.known.statements),
        }
        self._summary = replace(self.known, also="summary_translated", also_facts=facts)

    def end(self, note: Note, writer: Writer | None = None, **facts: Fact) -> Summary:
        """Return the summary with the note that says who wrote it."""
        self.end_writing()
        summary = replace(
            self.known,
            note=note,
            note_facts=facts,
            model_id=str(facts.get("model", "")),
            seconds=round(time.monotonic() - self._started_s, 2),
            writing_s=round(self._writing_s, 2),
        )
        if writer is not None:
            summary = replace(summary, usage=writer.usage)
        self._summary = summary
        self.tell("done")
        return summary


def own_words(evidence: Evidence, document: ReadDocument) -> Statement:
    """Return the statement that is the document's own sentence."""
    place = document.place_of(evidence.page, evidence.cells)
    if place.unit == "section" and evidence.heading:
        # A section's label is where it begins; its sentences may stand under a later heading.
        place = replace(place, label=evidence.heading)
    return Statement(
        text=evidence.shown,
        page=evidence.page,
        heading=evidence.section,
        evidence=evidence.text,
        written=False,
        place=place,
        row=evidence.row,
        computed=evidence.computed,
    )
