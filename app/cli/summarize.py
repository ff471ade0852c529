"""`snug summarize`: one or more documents, each with its pages, its coverage and who wrote it."""

import argparse
import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app import messages
from app.children import command
from app.cli.engine import add_load_options, open_runner_for
from app.cli.output import Output
from app.documents.ability import AbilityBook
from app.documents.reader import read_document
from app.documents.rendering import coverage_line, plain
from app.documents.summarizer import Summarizer
from app.documents.summary import Summary, SummaryView
from app.documents.usage import Usage
from app.errors import DocumentError
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from inference import child
from inference.child import Child
from inference.errors import ModelNotLoaded

_STAGES = {
    "reading": "Reading {done} of {total}",
    "choosing": "Choosing what matters",
    "testing": "Testing whether the model may write: {done} of {total}",
    "writing": "Writing {done} of {total}",
    "done": "Done",
}


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "summarize",
        help="summarize documents",
        description="Summarize PDF, text and Markdown files. Every page is read, and every point "
        "names its page. Works without a model, in the document's own words.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a document")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--model", metavar="ID", help="the model that writes")
    parser.add_argument(
        "--length", choices=("short", "medium", "long"), default="medium", help="how many points"
    )
    add_load_options(parser)
    parser.set_defaults(run=run, device="auto")


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Summarize every file; one that cannot be read does not stop the others."""
    started_s = time.monotonic()
    abilities = AbilityBook(places.abilities, lambda model: _sha256(places, model))
    documents: list[dict[str, Any]] = []
    summaries: list[Summary] = []
    with _writer(options, places) as runner:
        summarizer = Summarizer(runner, abilities, launch=_launch)
        for path in options.files:
            try:
                summary = _summarize(path, summarizer, options.length, output)
            except DocumentError as error:
                if len(options.files) == 1:
                    raise
                output.error(messages.describe(error))
                documents.append({"name": path.name, "error": asdict(messages.describe(error))})
                continue
            summaries.append(summary)
            documents.append(_as_json(summary))
            if not output.as_json:
                output.line(_for_people(summary, has_title=len(options.files) > 1))
    if output.as_json:
        output.result(
            {
                "summary": "\n\n".join(plain(summary) for summary in summaries),
                "documents": documents,
                "usage": _usage(summaries),
                "seconds": round(time.monotonic() - started_s, 2),
            }
        )
    return 0 if len(summaries) == len(options.files) else 1


def _launch() -> Child:
    return child.start(command("document"))


@contextlib.contextmanager
def _writer(options: argparse.Namespace, places: Paths) -> Iterator[ModelRunner | None]:
    """Give the model to write with, or None where none is installed."""
    with contextlib.ExitStack() as stack:
        try:
            runner = stack.enter_context(open_runner_for(options, places))
        except ModelNotLoaded:
            runner = None
        yield runner


def _sha256(places: Paths, model_id: str) -> str:
    return InstalledModels(places.models).get(model_id).sha256


def _summarize(path: Path, summarizer: Summarizer, length: Any, output: Output) -> Summary:
    document = read_document(
        path,
        launch=_launch,
        on_progress=lambda done, total: output.status(f"{path.name}: page {done} of {total}"),
    )

    def tell(view: SummaryView) -> None:
        stage = _STAGES[view.stage].format(done=view.done, total=view.total)
        output.status(f"{path.name}: {stage}")

    try:
        return summarizer.run(document, on_update=tell, cancelled=threading.Event(), length=length)
    finally:
        output.clear_status()


def _for_people(summary: Summary, *, has_title: bool) -> str:
    return f"# {summary.name}\n\n{plain(summary)}\n" if has_title else plain(summary)


def _usage(summaries: list[Summary]) -> dict[str, int]:
    total = Usage()
    for summary in summaries:
        total = total.and_(summary.usage)
    return asdict(total)


def _as_json(summary: Summary) -> dict[str, Any]:
    notice = messages.describe_code(summary.note, summary.note_facts)
    return {
        "name": summary.name,
        "title": summary.title,
        "language": summary.language,
        "coverage": asdict(summary.coverage) | {"text": coverage_line(summary)},
        "about": summary.about,
        "sections": list(summary.sections),
        "statements": [asdict(statement) for statement in summary.statements],
        "note": asdict(notice),
        "model": summary.model_id or None,
    }
