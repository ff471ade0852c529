"""What a summary is while it is made and when it is done."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from app.documents.document import ReadDocument
from app.documents.options import Style
from app.documents.usage import Usage
from app.documents.values import Coverage, Statement
from inference.errors import Fact

SummaryStage = Literal["reading", "choosing", "testing", "writing", "translating", "done"]
Note = Literal[
    "summary_written",
    "summary_no_model",
    "summary_not_able",
    "summary_language",
    "summary_stopped",
    "summary_failed",
    "summary_nothing",
    "summary_joint",
    "summary_no_writing",
]
LanguageNote = Literal["", "summary_translated", "summary_not_translated", "summary_no_translation"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, or as much of it as there is.

    Attributes:
        about: One sentence on the whole document by the model, or empty.
        sections: Titles of the main sections.
        note: Who wrote it and why: a code of `app.messages` whose facts are `note_facts`.
        model_id: The model that was asked to write, or empty.
        style: How it is shown.
        also: A second note, on its language: a code of `app.messages` with `also_facts`.
        writing_s: Seconds that the model was kept at writing; the engine was busy for
            `usage.busy_s` of them.
        names: The documents that a joint summary is on; empty for one document.
        disagreements: Pairs of statements, of different documents, that give different figures for
            what seems to be the same thing.
    """

    name: str
    title: str
    language: str
    about: str
    sections: tuple[str, ...]
    statements: tuple[Statement, ...]
    coverage: Coverage
    unreadable: int = 0
    note: Note = "summary_no_model"
    note_facts: dict[str, Fact] = field(default_factory=dict)
    model_id: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    style: Style = "points"
    also: LanguageNote = ""
    also_facts: dict[str, Fact] = field(default_factory=dict)
    writing_s: float = 0.0
    names: tuple[str, ...] = ()
    disagreements: tuple[tuple[Statement, Statement], ...] = ()

    @property
    def busy_share(self) -> float:
        """The part of the writing for which the engine computed, 0 to 1; 0 without writing."""
        return min(1.0, self.usage.busy_s / self.writing_s) if self.writing_s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary at one moment.

    Attributes:
        stage: What is going on, with `done` of `total`: pages, probes or statements.
        summary: None until the evidence has been chosen.
    """

    stage: SummaryStage
    done: int = 0
    total: int = 0
    summary: Summary | None = None


def coverage_of(document: ReadDocument) -> Coverage:
    """Count what a summary of `document` rests on; a page without text was not read."""
    report = document.report
    states = Counter(page.state for page in document.pages)
    not_read = states["without_text"] + states["unreadable"]
    return Coverage(
        unit=report.unit,
        total=report.total,
        read=report.read - not_read,
        ocr=report.ocr,
        without_text=states["without_text"],
        blank=states["blank"],
    )
