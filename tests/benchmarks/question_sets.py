"""Questions on long documents of the corpus, with the words of a right passage, and without any.

The sets lie in `tests/data/questions`; the documents are found as the tests find them.
"""

import json
import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app.children import command
from app.documents.document import ReadDocument
from app.documents.reader import read_document
from inference import child

_SETS = Path(__file__).parents[1] / "data" / "questions"
_CORPUS = os.environ.get("SNUG_TEST_CORPUS", "")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a person asks it; `holds` is found in any passage that answers it."""

    text: str
    holds: re.Pattern[str]
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions on one document."""

    name: str
    document: ReadDocument
    questions: tuple[Question, ...]
    without_answer: tuple[str, ...]


def _pattern(entry: dict[str, Any]) -> str:
    """Return the pattern of an entry; a phrase is found however its lines are broken."""
    if "holds" in entry:
        return str(entry["holds"])
    return r"\s+".join(re.escape(word) for word in entry["phrase"].split())


def load(folder: Path | None = None) -> list[QuestionSet]:
    """Read the documents that are there and return their questions."""
    corpus = folder or (
        Path(_CORPUS) if _CORPUS else Path(__file__).parents[3] / "shared" / "corpus"
    )
    launch = partial(child.start, command("document"))
    sets = []
    for path in sorted(_SETS.glob("*.json")):
        body = json.loads(path.read_text(encoding="utf-8"))
        file = corpus / body["document"]
        if not file.is_file():
            continue
        questions = tuple(
            Question(
                one["question"],
                re.compile(_pattern(one), re.IGNORECASE | re.DOTALL),
                tuple(one["pages"]),
            )
            for one in body["questions"]
        )
        document = read_document(file, launch=launch)
        sets.append(QuestionSet(path.stem, document, questions, tuple(body["without_answer"])))
    return sets
