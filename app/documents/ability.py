"""Finds out, once for each model, language and job, whether a model may do it.

The test asks for what the job asks for, and judges the answer by what must and must not be in it.
The check of statements is not the judge: it refuses honest answers of able models, and the model
itself says yes to everything.
"""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeVar

from app.documents.jobs import JobPrompts
from app.documents.prompts import Probe, Prompts
from app.documents.writer import Writer

THRESHOLD = 0.6
_DONE_THRESHOLD = 0.85
# Raised when prompts or probes change, so that every model is tested again.
_TEST_VERSION = 1
_MOST_LENGTH_SHARE = 0.7

Level = Literal["done", "draft", "none"]
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Ability:
    """How a model did in the self-test.

    Attributes:
        passed: Probes answered fairly, of the `asked` that were put.
        asked: Less than `probes` where the model could not pass any more.
        probes: How many the test has.
        seconds: How long the test took.
    """

    passed: int
    asked: int
    probes: int
    seconds: float
    version: int = _TEST_VERSION

    @property
    def share(self) -> float:
        """The part of all probes that were answered fairly, 0 to 1."""
        return self.passed / self.probes if self.probes else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether the model may do it at all."""
        return self.share >= THRESHOLD

    @property
    def level(self) -> Level:
        """How its work is offered: as done, as a draft to be read, or not at all."""
        if self.share >= _DONE_THRESHOLD:
            return "done"
        return "draft" if self.is_enough else "none"


def measure_ability(
    writer: Writer, prompts: Prompts, *, on_probe: Callable[[int, int], None] | None = None
) -> Ability:
    """Put the probes for summaries to the model; blocks for some seconds."""

    def is_passed(probe: Probe) -> bool:
        return is_fair(writer.sentence_on(probe.title, probe.section, probe.passage), probe)

    return measure(prompts.probes, is_passed, on_probe)


def measure_job(
    writer: Writer, prompts: JobPrompts, *, on_probe: Callable[[int, int], None] | None = None
) -> Ability:
    """Put the probes of another job to the model; blocks for some seconds."""
    return measure(
        prompts.probes, lambda probe: probe.is_met_by(writer.do(prompts, probe.text)), on_probe
    )


def measure(
    probes: Sequence[P],
    is_passed: Callable[[P], bool],
    on_probe: Callable[[int, int], None] | None,
) -> Ability:
    """Put `probes` one after the other, until too many have failed."""
    started_s = time.monotonic()
    total = len(probes)
    passed = asked = 0
    for asked, probe in enumerate(probes, 1):
        if on_probe:
            on_probe(asked, total)
        passed += is_passed(probe)
        if passed + (total - asked) < THRESHOLD * total:
            break
    return Ability(passed, asked, total, round(time.monotonic() - started_s, 1))


def is_fair(answer: str, probe: Probe) -> bool:
    """Tell whether `answer` is one short sentence that says the main point and nothing false."""
    most_words = _MOST_LENGTH_SHARE * sum(len(part.split()) for part in probe.passage)
    if not answer.endswith(".") or len(answer.split()) > most_words:
        return False
    has_all = all(pattern.search(answer) for pattern in probe.needed)
    return has_all and not any(pattern.search(answer) for pattern in probe.forbidden)


class AbilityBook:
    """Remembers results in a small JSON file; may be used from any thread.

    A file that cannot be read or written costs a repeated test and nothing else.
    """

    def __init__(self, path: Path, identify: Callable[[str], str]) -> None:
        """Keep results in `path`; `identify` turns a model's id into the SHA-256 of its file."""
        self._path = path
        self._identify = identify
        self._lock = threading.Lock()

    def get(self, model_id: str, key: str) -> Ability | None:
        """Return what is known of a model, or None when it has to be tested.

        `key` is that of a `Job`; for summaries it is the language.
        """
        with self._lock:
            kept = self._read().get(self._identify(model_id), {}).get(key)
        return kept if kept and kept.version == _TEST_VERSION else None

    def put(self, model_id: str, key: str, ability: Ability) -> None:
        """Keep a result."""
        with self._lock:
            book = self._read()
            book.setdefault(self._identify(model_id), {})[key] = ability
            self._write(book)

    def sha256(self, model_id: str) -> str:
        """Return what stands for the model's file, whatever the model is called."""
        return self._identify(model_id)

    def _read(self) -> dict[str, dict[str, Ability]]:
        try:
            body = json.loads(self._path.read_text(encoding="utf-8"))
            return {
                sha256: {language: Ability(**kept) for language, kept in languages.items()}
                for sha256, languages in body.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, book: dict[str, dict[str, Ability]]) -> None:
        body = {
            sha256: {language: asdict(kept) for language, kept in languages.items()}
            for sha256, languages in book.items()
        }
        partial = self._path.with_suffix(".partial")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(body, indent=1), encoding="utf-8")
            partial.replace(self._path)
        except OSError:
            partial.unlink(missing_ok=True)
