"""How often the passage with the answer is among the first: `python -m tests.benchmarks.retrieval`.

Over the long documents of the corpus and the questions in tests/data/questions, by words, by
meaning, and by both as Snug does it; with the time that the vectors of all chunks take.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from app.children import command
from app.documents.chunking import chunks_of
from app.documents.lexical import Bm25
from app.documents.reader import read_document
from app.documents.retrieval import interleave, is_contents, with_heading
from inference import child
from inference.embedding import EmbeddingClient

_ROOT = Path(__file__).parents[2]
_FIRST = (1, 3, 5)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=_ROOT.parent / "shared" / "corpus")
    parser.add_argument("--embedding", type=Path, required=True, help="its installed folder")
    options = parser.parse_args()
    texts: list[str] = []
    names: list[str] = []
    asked: list[tuple[str, str, str]] = []
    for file in sorted((_ROOT / "tests" / "data" / "questions").glob("*.json")):
        questions = json.loads(file.read_text("utf-8"))
        if "phrase" not in questions["questions"][0]:
            continue  # questions of another kind
        name = questions["document"]
        document = read_document(
            options.corpus / name, launch=lambda: child.start(command("document"))
        )
        chunks = [chunk for chunk in chunks_of(document) if not is_contents(chunk.text)]
        texts += [with_heading(chunk) for chunk in chunks]
        names += [name] * len(chunks)
        asked += [(each["question"], each["phrase"], name) for each in questions["questions"]]
    client = EmbeddingClient(lambda: child.start(command("embed")), lambda: options.embedding)
    started_s = time.perf_counter()
    vectors = client.embed(texts)
    print(f"{len(texts)} chunks embedded in {time.perf_counter() - started_s:.1f} s")  # noqa: T201
    similarities = client.embed([question for question, _, _ in asked]) @ vectors.T
    client.close()
    words = Bm25(texts)
    plain = [_plain(text) for text in texts]
    ranks: dict[str, list[int]] = {"words": [], "meaning": [], "both": []}
    for (question, phrase, name), row in zip(asked, similarities, strict=True):
        by_words = [int(index) for index in np.argsort(-words.scores(question), kind="stable")[:12]]
        by_meaning = [int(index) for index in np.argsort(-row, kind="stable")[:12]]
        orders = {
            "words": by_words,
            "meaning": by_meaning,
            "both": interleave(by_meaning, by_words),
        }
        for how, order in orders.items():
            right = (
                place
                for place, index in enumerate(order, 1)
                if names[index] == name and _plain(phrase) in plain[index]
            )
            ranks[how].append(next(right, 99))
        if ranks["both"][-1] > _FIRST[1]:
            print(f"missed: {question} ({ranks['both'][-1]})")  # noqa: T201
    for how, found in ranks.items():
        shares = ", ".join(
            f"top {first}: {sum(rank <= first for rank in found)}" for first in _FIRST
        )
        print(f"{how:<8} of {len(found)}: {shares}")  # noqa: T201


def _plain(text: str) -> str:
    return "".join(text.split()).lower().replace("-", "")


if __name__ == "__main__":
    main()
