"""`snug models`: what is installed, and what can be had with one command."""

import argparse
from pathlib import Path

from app import messages
from app.cli.output import Output
from app.errors import SourceUnknown
from app.models import catalog, original
from app.models.stopping import Stop
from app.paths import Paths


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("models", help="list, add, remove and verify models")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    fetch = actions.add_parser("fetch", help="fetch a model's original file and convert nothing")
    fetch.add_argument("source", metavar="ID", help="starter or standard")
    fetch.add_argument("file", type=Path, metavar="FILE", help="where the file goes")
    fetch.set_defaults(run=_fetch)
    for action in (fetch,):
        action.add_argument("--json", action="store_true", help="print one JSON object")


def _fetch(options: argparse.Namespace, places: Paths, output: Output) -> int:
    entry = _entry(options.source)

    def progress(stage: str, done: int, total: int) -> None:
        output.status(
            f"{stage} {messages.readable_bytes(done)} of {messages.readable_bytes(total)}"
        )

    original.fetch_raw(
        entry, options.file, downloads=places.downloads, progress=progress, stop=Stop()
    )
    output.clear_status()
    if output.as_json:
        output.result({"id": entry.id, "file": str(options.file), "sha256": entry.sha256})
    else:
        output.line(f"{entry.title} is in {options.file}.")
    return 0


def _entry(name: str) -> catalog.CatalogEntry:
    for entry in catalog.entries():
        if entry.id == name:
            return entry
    raise SourceUnknown(source=name)
