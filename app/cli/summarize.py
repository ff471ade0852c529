"""`snug summarize`: one or more documents, each with its places, its coverage and who wrote it."""

import argparse
import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from app import messages
from app.children import command
from app.cli.engine import add_load_options, open_runner_for
from app.cli.output import Output
from app.cli.reading import DocumentReader, add_reading_options
from app.clock import SystemClock
from app.documents.ability import AbilityBook
from app.documents.document import ReadDocument
from app.documents.folders import expand
from app.documents.options import Length, Style, SummaryOptions
from app.documents.places import units
from app.documents.rendering import coverage_line, plain
from app.documents.summarizer import Summaries, Summarizer
from app.documents.summary import Summary, SummaryView
from app.documents.usage import Usage
from app.documents.values import LeftOut
from app.errors import DocumentError, NotAFile, StoreError
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from app.store.opening import open_store
from app.store.summary_progress import Do, SummaryProgressStore
from inference import child
from inference.child import Child
from inference.errors import ModelNotLoaded

if TYPE_CHECKING:
    from app.store.database import Database

_STAGES = {
    "reading": "Reading {done} of {total}",
    "choosing": "Choosing what matters",
    "testing": "Testing whether the model may write: {done} of {total}",
    "writing": "Writing {done} of {total}",
    "translating": "Translating {done} of {total}",
    "done": "Done",
}
_MINUTE_S = 60


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "summarize",
        help="summarize documents",
        description="Summarize documents of any kind that Snug reads, and folders of them. Every "
        "page is read, and every point names its place. Works without a model, in the document's "
        "own words.",
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a document, or a folder of documents"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--model", metavar="ID", help="the model that writes (default: the one for summaries)"
    )
    parser.add_argument(
        "--length", choices=get_args(Length), default="medium", help="how many points"
    )
    parser.add_argument(
        "--style",
        choices=get_args(Style),
        default="points",
        help="points (default), a paragraph, minutes (who, what, when), actions (who has to do "
        "what), or a table of facts",
    )
    parser.add_argument(
        "--language",
        default="",
        metavar="CODE",
        help="such as de; the document's own without it",
    )
    parser.add_argument(
        "--joint", action="store_true", help="add one summary on all documents together"
    )
    add_reading_options(parser)
    add_load_options(parser)
    parser.set_defaults(run=run, device="auto")


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Summarize every file; one that cannot be read does not stop the others."""
    started_s = time.monotonic()
    wished = SummaryOptions(options.length, options.style, options.language)
    documents, failed = _read(options, output)
    if not documents and not failed:
        raise NotAFile(name=options.files[0].name)
    with _writer(options, places) as runner, _Progress(places) as progress:
        abilities = AbilityBook(places.abilities, lambda model: _sha256(places, model))
        summarizer = Summarizer(runner, abilities, launch=_launch, progress=progress.store)
        done = _summarize(documents, summarizer, wished, output)
    joint = done.joint if options.joint else None
    if output.as_json:
        output.result(_result(done, joint, failed, started_s))
    else:
        for summary in done.each:
            output.line(_for_people(summary, has_title=len(documents) > 1))
            output.note(_speed(summary))
        if joint is not None:
            output.line(f"# {', '.join(joint.names)}\n\n{plain(joint)}\n")
    return 1 if failed else 0


def _read(
    options: argparse.Namespace, output: Output
) -> tuple[list[ReadDocument], list[dict[str, Any]]]:
    """Read all files; return the documents, and what is told of those that cannot be read."""
    reader = DocumentReader(options, output)
    documents: list[ReadDocument] = []
    failed: list[dict[str, Any]] = []
    for found in expand(options.files):
        if isinstance(found, LeftOut):
            output.note(messages.describe_code(found.code, {"name": found.name}).message)
            continue
        try:
            documents.append(reader.read(found))
        except DocumentError as error:
            if options.files == [found]:
                raise
            output.error(messages.describe(error))
            failed.append({"name": found.name, "error": asdict(messages.describe(error))})
    return documents, failed


def _launch() -> Child:
    return child.start(command("document"))


@contextlib.contextmanager
def _writer(options: argparse.Namespace, places: Paths) -> Iterator[ModelRunner | None]:
    """Give the model to write with, or None where none is installed."""
    with contextlib.ExitStack() as stack:
        try:
            runner = stack.enter_context(open_runner_for(options, places, "summary"))
        except ModelNotLoaded:
            runner = None
        yield runner


def _sha256(places: Paths, model_id: str) -> str:
    return InstalledModels(places.models).get(model_id).sha256


class _Progress:
    """The store, opened with the first thing that is to be kept; a context manager."""

    def __init__(self, places: Paths) -> None:
        self._places = places
        self._database: Database | None = None
        self._error: StoreError | None = None
        self.store = SummaryProgressStore(self._run, SystemClock())

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_error: object) -> None:
        if self._database is not None:
            self._database.close()

    def _run(self, do: Do) -> "Future[bytes | None]":
        done: Future[bytes | None] = Future()
        try:
            if self._error is not None:
                raise self._error
            if self._database is None:
                self._database = open_store(self._places)
            done.set_result(do(self._database))
        except StoreError as error:
            self._error = error
            done.set_exception(error)
        return done


def _summarize(
    documents: list[ReadDocument], summarizer: Summarizer, options: SummaryOptions, output: Output
) -> Summaries:
    def tell(index: int, view: SummaryView) -> None:
        stage = _STAGES[view.stage].format(done=view.done, total=view.total)
        output.status(f"{documents[index].name}: {stage}")

    try:
        return summarizer.run_all(
            documents, on_update=tell, cancelled=threading.Event(), options=options
        )
    finally:
        output.clear_status()


def _for_people(summary: Summary, *, has_title: bool) -> str:
    return f"# {summary.name}\n\n{plain(summary)}\n" if has_title else plain(summary)


def _speed(summary: Summary) -> str:
    """Return how fast it went, and how busy the engine was while it wrote."""
    coverage = summary.coverage
    named = units(coverage.unit, 2)
    per_minute = coverage.total / max(summary.seconds, 0.01) * _MINUTE_S
    busy = f"; engine busy {summary.busy_share:.0%} of the writing" if summary.writing_s else ""
    return f"{summary.seconds:,.1f} s, {per_minute:,.0f} {named} a minute{busy}"


def _result(
    done: Summaries, joint: Summary | None, failed: list[dict[str, Any]], started_s: float
) -> dict[str, Any]:
    usage = Usage()
    for summary in done.each:
        usage = usage.and_(summary.usage)
    shown = [*done.each, joint] if joint else list(done.each)
    return {
        "summary": "\n\n".join(plain(summary) for summary in shown),
        "documents": [*failed, *map(_as_json, done.each)],
        "joint": _as_json(joint) if joint else None,
        "usage": asdict(usage),
        "seconds": round(time.monotonic() - started_s, 2),
    }


def _as_json(summary: Summary) -> dict[str, Any]:
    notice = messages.describe_code(summary.note, summary.note_facts)
    also = messages.describe_code(summary.also, summary.also_facts) if summary.also else None
    return {
        "name": summary.name,
        "title": summary.title,
        "language": summary.language,
        "style": summary.style,
        "coverage": asdict(summary.coverage) | {"text": coverage_line(summary)},
        "about": summary.about,
        "sections": list(summary.sections),
        "statements": [asdict(statement) for statement in summary.statements],
        "disagreements": [[asdict(side) for side in pair] for pair in summary.disagreements],
        "note": asdict(notice),
        "also": asdict(also) if also else None,
        "model": summary.model_id or None,
        "speed": _speed(summary),
        "busy_share": round(summary.busy_share, 3),
    }
