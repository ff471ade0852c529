"""`snug documents`: the library of folders that stay indexed."""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from app import messages
from app.children import command
from app.cli.output import Output
from app.documents.intake import Intake
from app.documents.library import Library
from app.documents.library_values import LibraryView
from app.documents.places import in_words
from app.documents.report_text import left_out_text
from app.errors import NotAFile
from app.models.embedding import embedding_folder
from app.paths import Paths
from app.store.database import Database
from app.store.opening import open_store
from inference import child
from inference.embedding import EmbeddingClient

T = TypeVar("T")

_LOOK_S = 0.2


def register(subparsers: Any) -> None:
    """Add the verb."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "documents",
        help="keep folders indexed and find passages in them",
        description="The library: folders whose documents can be searched and asked.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, run: Callable[..., int], about: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = actions.add_parser(name, help=about, description=about)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.set_defaults(run=run)
        return added

    for name, run, about in (
        ("add", _add, "index a folder, and again what has changed in those that are there"),
        ("remove", _remove, "forget a folder and everything read in it"),
    ):
        action(name, run, about).add_argument("path", type=Path, metavar="FOLDER")
    action("list", _list, "the folders, and what could not be read in them")
    search = action("search", _search, "find the passages that fit a question")
    search.add_argument("question", metavar="QUESTION")
    search.add_argument("--limit", type=int, default=4, metavar="N", help="passages, 4 otherwise")


def _add(options: argparse.Namespace, places: Paths, output: Output) -> int:
    if not options.path.exists():
        raise NotAFile(name=options.path.name)
    with _library(places) as library:
        library.add(options.path).result()
        library.start()
        while not library.wait(_LOOK_S):
            view = library.state()
            output.status(f"Indexing: {view.indexed:,} of {view.files:,} documents")
        output.clear_status()
        return _end(library.state(), output)


def _remove(options: argparse.Namespace, places: Paths, output: Output) -> int:
    with _library(places) as library:
        library.remove(options.path).result()
        library.start()
        library.wait()
        return _end(library.state(), output)


def _list(options: argparse.Namespace, places: Paths, output: Output) -> int:  # noqa: ARG001 - the shape of every verb
    with _library(places) as library:
        library.look()
        _show(library.state(), output)
    return 0


def _search(options: argparse.Namespace, places: Paths, output: Output) -> int:
    with _library(places) as library:
        found = library.search(options.question, options.limit)
    if output.as_json:
        output.result(
            {
                "by": found.by,
                "missing": found.missing,
                "passages": [
                    asdict(each) | {"similarity": _number(each.similarity)}
                    for each in found.passages
                ],
            }
        )
        return 0
    for passage in found.passages:
        output.line(f"{passage.name}, {in_words(passage.place)}")
        output.line(passage.text)
        output.line()
    if found.by == "words":
        output.note("Searched by words alone. For meaning: snug models add embedding.")
    return 0


def _number(similarity: float) -> float | None:
    """Return a similarity as JSON has it, which knows no NaN."""
    return None if similarity != similarity else round(similarity, 3)  # noqa: PLR0124 - NaN alone


def _end(view: LibraryView, output: Output) -> int:
    """Show what there is, and why it is not all."""
    _show(view, output)
    if not view.trouble:
        return 0
    output.error(messages.describe_code(view.trouble, {}))
    return 1


def _show(view: LibraryView, output: Output) -> None:
    if output.as_json:
        output.result(asdict(view) | {"folders": [str(folder) for folder in view.folders]})
        return
    for folder in view.folders:
        output.line(str(folder))
    output.line(f"{view.indexed:,} of {view.files:,} documents are indexed.")
    for each in view.failed:
        output.line(left_out_text(each))


@contextmanager
def _library(places: Paths) -> Iterator[Library]:
    """Give the library on the person's store, which one thread owns."""
    with ThreadPoolExecutor(1, thread_name_prefix="store") as executor:
        database = executor.submit(open_store, places).result()

        def run(do: Callable[[Database], T]) -> "Future[T]":
            return executor.submit(do, database)

        embedding = EmbeddingClient(
            lambda: child.start(command("embed")), lambda: embedding_folder(places)
        )
        intake = Intake(
            lambda: child.start(command("document")), lambda: child.start(command("ocr"))
        )
        library = Library(run, lambda path, stop: intake.read(path, cancelled=stop), embedding)
        try:
            yield library
        finally:
            library.close()
            embedding.close()
            executor.submit(database.close).result()
