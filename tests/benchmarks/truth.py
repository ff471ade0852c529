"""Whether summaries of real documents hold only facts of the pages they cite.

Run with `python -m tests.benchmarks.truth [--data-dir DIR] [--model ID] [--show] [NAME ...]`. The
documents are those of the corpus that the tests know; without a data folder that holds a model the
summaries are extractions. One rule for all languages: every number, date and capitalized name of a
statement has to stand on the page it cites, white space, signs and the width of characters left
aside; numbers that code counted in a table are left out.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import psutil

from app.children import command
from app.cli.engine import open_runner
from app.documents.ability import AbilityBook
from app.documents.document import ReadDocument
from app.documents.facts import DATE
from app.documents.intake import Intake
from app.documents.options import SummaryOptions
from app.documents.rendering import plain
from app.documents.summarizer import Summarizer
from app.documents.summary import Summary
from app.documents.values import Statement
from app.documents.words import names, numbers
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths, resolve
from inference import child
from inference.errors import ModelNotLoaded

DOCUMENTS = (
    "dl_redp5110_sampled.pdf",
    "kz_sample_contract.pdf",
    "un_failure-after-repair.pdf",
    "tk_testPDF_childAttachments.pdf",
    "sf_GeoTopo-komprimiert.pdf",
    "kz_xerox_alta_link_series_mfp_sag_en_us_2.pdf",
    "un_handbook-872p.docx",
    "kz_world_war_ii.md",
    "dl_epub_purvis_poetry.epub",
    "md_test_wikipedia.html",
)
_ROW = "{name:44} {pages:>6} {seconds:>7} {points:>6} {written:>7} {facts:>6} {there:>6} {busy:>5}"


def main() -> int:
    """Summarize, print a line a document and what is on no page; 1 where something is not."""
    options = _options()
    folder = Path(os.environ.get("SNUG_TEST_CORPUS", Path("..") / "shared" / "corpus"))
    with tempfile.TemporaryDirectory(prefix="snug-") as empty:
        places = resolve(options.data_dir or empty)
        with _runner(places, options.model) as runner:
            return _measure(folder, options, runner, places)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data-dir", help="where a model is installed")
    parser.add_argument("--model", help="its id")
    parser.add_argument("--show", action="store_true", help="print the summaries")
    parser.add_argument("names", nargs="*", default=DOCUMENTS, metavar="NAME")
    return parser.parse_args()


@contextlib.contextmanager
def _runner(places: Paths, model_id: str | None) -> Iterator[ModelRunner | None]:
    with contextlib.ExitStack() as stack:
        try:
            yield stack.enter_context(open_runner(places, model_id=model_id))
        except ModelNotLoaded:
            yield None


def _measure(
    folder: Path, options: argparse.Namespace, runner: ModelRunner | None, places: Paths
) -> int:
    installed = InstalledModels(places.models)
    abilities = AbilityBook(places.abilities, lambda model: installed.get(model).sha256)
    summarizer = Summarizer(runner, abilities, launch=lambda: child.start(command("document")))
    head = ("pages", "seconds", "points", "written", "facts", "there", "busy")
    _print(_ROW.format(name="document", **{title: title for title in head}))
    points = written = found = there = 0
    for name in options.names:
        if not (folder / name).exists():
            _print(f"{name}: not in this corpus")
            continue
        document, summary, seconds = _summarize(folder / name, summarizer)
        missing = [
            (statement, fact)
            for statement in summary.statements
            for fact in _facts(statement, summary.language)
            if not _is_on_page(fact, statement, document)
        ]
        facts = sum(len(_facts(each, summary.language)) for each in summary.statements)
        own = sum(statement.written for statement in summary.statements)
        coverage = summary.coverage
        _print(
            _ROW.format(
                name=name[:44],
                pages=f"{coverage.read}/{coverage.total}",
                seconds=f"{seconds:.1f}",
                points=len(summary.statements),
                written=own,
                facts=facts,
                there=facts - len(missing),
                busy=f"{summary.busy_share:.0%}" if summary.writing_s else "-",
            )
        )
        for statement, fact in missing:
            _print(f"  not on the page: {fact!r} in {statement.text!r}")
        if options.show:
            _print(f"\n{plain(summary)}\n")
        points, written = points + len(summary.statements), written + own
        found, there = found + facts, there + facts - len(missing)
    peak_mb = psutil.Process().memory_info().rss / 1e6
    _print(
        f"{points} statements, {written} written by the model ({written / max(1, points):.0%}); "
        f"{there} of {found} facts on the cited page; this process {peak_mb:.0f} MB"
    )
    return 0 if there == found else 1


def _summarize(path: Path, summarizer: Summarizer) -> tuple[ReadDocument, Summary, float]:
    started_s = time.monotonic()
    document = Intake(lambda: child.start(command("document"))).read(path)
    summary = summarizer.run(
        document,
        on_update=lambda view: None,
        cancelled=threading.Event(),
        options=SummaryOptions(),
    )
    return document, summary, time.monotonic() - started_s


def _facts(statement: Statement, language: str) -> list[str]:
    """Return the numbers, dates and names of a statement; German writes every noun like a name."""
    text = statement.text
    found = {*numbers(text), *DATE.findall(text)}
    if language != "de":
        found |= names(text)
    return sorted(fact for fact in found if fact not in statement.computed)


def _is_on_page(fact: str, statement: Statement, document: ReadDocument) -> bool:
    page = document.pages[statement.page - 1]
    return _squeezed(fact) in _squeezed(page.text)


def _squeezed(text: str) -> str:
    """Return letters and digits only; signs and white space are set differently by every format."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).lower() if char.isalnum())


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
