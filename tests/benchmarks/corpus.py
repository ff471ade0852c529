"""How the files of the corpus are read: a table by format.

    python -m tests.benchmarks.corpus FOLDER

Each file is compared with what a person would read in it (tests/app/documents/corpus_cases.py).
Ends with 1 where one is read otherwise than expected there.
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

from app.children import command
from app.documents.reader import read_document
from app.errors import DocumentError
from app.messages import describe
from inference import child
from inference.child import Child
from tests.app.documents.corpus_cases import CASES
from tests.app.documents.test_corpus import problems

_PICTURES = frozenset(("jpg", "jpeg", "png", "tif", "tiff", "heic"))


def _launch() -> Child:
    return child.start(command("document"))


def _judge(path: Path) -> tuple[str, str]:
    """Return `right`, `refused` or `wrong`, and why it is not the first."""
    case = CASES[path.name]
    try:
        document = read_document(path, launch=_launch, password=case.password)
    except DocumentError as error:
        is_expected = case.refused is not None and error.code == case.refused[0]
        return "refused" if is_expected else "wrong", describe(error).message
    if found := problems(document, case):
        return "wrong", "; ".join(found)
    return ("wrong", case.wrong) if case.wrong else ("right", "")


def main(folder: Path) -> int:
    """Print the table and the reasons; return the exit code."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    lines: list[str] = []
    surprises = 0
    for name in sorted(CASES):
        ending = name.rpartition(".")[2]
        verdict, why = _judge(folder / name)
        table["pictures" if ending in _PICTURES else ending][verdict] += 1
        surprises += verdict == "wrong" and why != CASES[name].wrong
        if why:
            lines.append(f"{verdict}: {name}: {why}")
    sys.stdout.write(f"{'format':10}{'files':>7}{'right':>7}{'refused':>9}{'wrong':>7}\n")
    for ending, counts in [*sorted(table.items()), ("all", sum(table.values(), Counter[str]()))]:
        row = f"{counts['right']:7}{counts['refused']:9}{counts['wrong']:7}"
        sys.stdout.write(f"{ending:10}{counts.total():7}{row}\n")
    sys.stdout.write("\n".join(["", *lines, ""]))
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
