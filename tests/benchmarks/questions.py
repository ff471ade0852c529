"""Questions on long documents, put to a model as Snug puts them: right, wrong, refused, made up.

    python -m tests.benchmarks.questions --data-dir DIR --model ID [--most N] [--set NAME]

An answer counts as right where its cited passage holds the
words that the question's entry asks for; the answers are printed, to be read.
"""

import argparse
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from app.cli.engine import open_runner
from app.documents.ability import AbilityBook
from app.documents.asking import Asker, DocumentAnswer
from app.documents.retrieval import DocumentIndex, IndexedDocument
from app.paths import Paths
from inference.embedder import Embedder
from tests.benchmarks.question_sets import Question, load


def main() -> None:
    """Ask everything and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument(
        "--most", type=int, default=1000, help="questions of each kind and document"
    )
    parser.add_argument("--set", action="append", help="only this document; may be given again")
    parser.add_argument("--embedding", type=Path, help="an installed embedding model")
    options = parser.parse_args()
    embed = Embedder(options.embedding).embed if options.embedding else None
    counts: Counter[str] = Counter()
    places = Paths(options.data_dir)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runner(places, model_id=options.model, device="cpu") as runner,
    ):
        asker = Asker(runner, AbilityBook(Path(folder) / "abilities.json", str))
        for one in load(options.corpus):
            if options.set and one.name not in options.set:
                continue
            index = DocumentIndex([IndexedDocument(one.name, one.document)], embed)
            wanted: list[tuple[str, Question | None]] = [
                *((each.text, each) for each in one.questions[: options.most]),
                *((text, None) for text in one.without_answer[: options.most]),
            ]
            for text, question in wanted:
                started_s = time.monotonic()
                answer = asker.ask(text, index.retrieve(text), cancelled=threading.Event())
                kind = judge(answer, question)
                counts[kind] += 1
                print(f"{kind:22} {time.monotonic() - started_s:5.1f} s  {text}")  # noqa: T201
                said = f"{answer.text or answer.tried} {' '.join(answer.faults)}"
                print(f"{'':22} {said}", flush=True)  # noqa: T201
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())))  # noqa: T201


def judge(answer: DocumentAnswer, question: Question | None) -> str:
    """Return what an answer is worth."""
    if question is None:
        return "INVENTED" if answer.verdict == "answered" else "rightly not answered"
    holds = [bool(question.holds.search(each.passage)) for each in answer.citations]
    if answer.verdict == "answered":
        return "right" if any(holds) else "WRONG SOURCE"
    return f"{answer.verdict}, {'shown' if any(holds) else 'not shown'}"


if __name__ == "__main__":
    main()
