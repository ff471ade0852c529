"""What a model may be asked to do with text besides summaries, and the test of each.

A model is tested for each job and language apart: one that shortens English well may turn a German
condition round.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from app.documents.prompts import LANGUAGES
from inference.types import ChatMessage

JobName = Literal["summary", "rewriting", "translation", "actions"]


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of work in one language.

    Attributes:
        target: The language to translate into; empty for other jobs.
    """

    name: JobName
    language: str
    target: str = ""

    @property
    def key(self) -> str:
        """What results are kept under."""
        if self.name == "summary":
            return self.language
        return ":".join(part for part in (self.language, self.name, self.target) if part)


@dataclass(frozen=True, slots=True)
class JobProbe:
    """A text, and what a fair answer holds and does not hold."""

    text: str
    needed: tuple[re.Pattern[str], ...]
    forbidden: tuple[re.Pattern[str], ...]

    def is_met_by(self, answer: str) -> bool:
        """Tell whether `answer` says what is needed and nothing false."""
        has_all = all(pattern.search(answer) for pattern in self.needed)
        return has_all and not any(pattern.search(answer) for pattern in self.forbidden)


@dataclass(frozen=True, slots=True)
class JobPrompts:
    """How a job is asked for.

    Attributes:
        schema: JSON Schema of the answer as JSON text, or empty.
    """

    job: Job
    most_tokens: int
    schema: str
    probes: tuple[JobProbe, ...]
    _system: str
    _ask: str

    def messages(self, text: str) -> tuple[ChatMessage, ...]:
        """Return the messages that ask for the job on `text`."""
        asked = ChatMessage("user", self._ask.format(text=text))
        return (ChatMessage("system", self._system), asked)


@cache
def prompts_of(job: Job) -> JobPrompts | None:
    """Return how `job` is asked for, or None where Snug has no prompts and no test for it."""
    if job.language not in LANGUAGES or job.name == "summary":
        return None
    file = resources.files("resources") / "prompts" / f"jobs.{job.language}.json"
    book: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    body = book[job.name]
    if job.name == "translation":
        body = body.get(job.target)
    if body is None:
        return None
    schema = json.dumps(body["schema"]) if "schema" in body else ""
    probes = tuple(_probe(probe) for probe in body["probes"])
    return JobPrompts(job, body["most_tokens"], schema, probes, book["system"], body["ask"])


def _probe(body: dict[str, Any]) -> JobProbe:
    def patterns(name: str) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern, re.IGNORECASE) for pattern in body[name])

    return JobProbe(body["text"], patterns("needed"), patterns("forbidden"))
