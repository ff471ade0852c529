"""How often the right passage is among the first: by words, and with an embedding model by both.

python -m tests.benchmarks.retrieval [--corpus FOLDER] [--embedding FOLDER] [--misses]
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from app.documents.retrieval import DocumentIndex, Embed, IndexedDocument, Passage
from inference.embedder import Embedder
from tests.benchmarks.question_sets import QuestionSet, load

_PLACES = 4


def main() -> None:
    """Print a line for each document and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--embedding", type=Path, help="an installed embedding model")
    parser.add_argument("--misses", action="store_true", help="print questions that are missed")
    options = parser.parse_args()
    ways: list[tuple[str, Embed | None]] = [("words", None)]
    if options.embedding:
        ways.append(("words and meaning", Embedder(options.embedding).embed))
    totals: dict[str, list[int]] = {}
    for one in load(options.corpus):
        for name, embed in ways:
            found = measure(one, embed, tells_misses=options.misses)
            totals.setdefault(name, []).extend(found)
            print(_line(one.name, name, found))  # noqa: T201
    for name, found in totals.items():
        print(_line("all", name, found))  # noqa: T201


def measure(one: QuestionSet, embed: Embed | None, *, tells_misses: bool = False) -> list[int]:
    """Return the place of the first right passage for each question, from 1; 0 for none."""
    index = DocumentIndex([IndexedDocument(one.name, one.document)], embed)
    places = []
    for question in one.questions:
        passages = index.retrieve(question.text, limit=_PLACES).passages
        place = _place(passages, question.holds)
        places.append(place)
        if tells_misses and not 1 <= place <= 3:
            print(f"  missed: {question.text}")  # noqa: T201
    return places


def _place(passages: Sequence[Passage], holds: re.Pattern[str]) -> int:
    return next((n for n, passage in enumerate(passages, 1) if holds.search(passage.text)), 0)


def _line(name: str, way: str, places: Sequence[int]) -> str:
    first = sum(place == 1 for place in places)
    three = sum(1 <= place <= 3 for place in places)
    share = three / max(1, len(places))
    return f"{name:18} {way:20} top 1: {first:2} top 3: {three:2} of {len(places)} ({share:.0%})"


if __name__ == "__main__":
    main()
