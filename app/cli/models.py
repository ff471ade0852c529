"""`snug models`: what is installed, and what can be had with one command."""

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app import messages
from app.children import command
from app.cli.output import Output
from app.errors import SourceUnknown
from app.messages import readable_bytes
from app.models import catalog, fit, original
from app.models.add_job import AddView
from app.models.catalog import CatalogEntry
from app.models.installed import InstalledModel, InstalledModels
from app.models.room import write_failed
from app.models.service import ModelService
from app.models.task import Task
from app.paths import Paths
from app.settings import Settings
from inference import child

_STAGES = {
    "space": "Looking for room",
    "fetching": "Fetching",
    "joining": "Copying",
    "checking": "Checking",
    "converting": "Converting",
}
_VERDICTS = {
    "fits": "fits this computer",
    "tight": "fits when other programs are closed",
    "too_big": "too big for this computer",
}
_LOOK_EVERY_S = 0.1


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("models", help="list, add, remove and verify models")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, run: Callable[..., int], about: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=about, description=about)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.set_defaults(run=run)
        return added

    action("list", _list, "what is installed, and what can be added")
    add = action("add", _add, "add a model")
    add.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="starter, standard, embedding, a model's .whl files, a .gguf file, or a model folder",
    )
    remove = action("remove", _remove, "delete a model")
    remove.add_argument("id", metavar="ID")
    verify = action("verify", _verify, "read every byte of a model and compare it")
    verify.add_argument("id", metavar="ID")
    fetch = action("fetch", _fetch, "fetch a model's original file and convert nothing")
    fetch.add_argument("id", metavar="ID")
    fetch.add_argument("file", type=Path, metavar="FILE")


def _service(places: Paths) -> ModelService:
    return ModelService(places, lambda: child.start(command("import")))


def _list(options: argparse.Namespace, places: Paths, output: Output) -> int:  # noqa: ARG001 - the shape of every verb
    installed = InstalledModels(places.models)
    default = installed.default(Settings.load(places.settings))
    present = {model.id for model in installed.all()}
    machine = fit.look(places.models)
    offered = [
        (entry, fit.judge(entry, machine)) for entry in catalog.entries() if entry.id not in present
    ]
    embedding = InstalledModels(places.embedding, catalog.embedding_entries).all()
    if output.as_json:
        problems = [
            {"id": problem.id, "code": problem.error.code} for problem in installed.problems()
        ]
        output.result(
            {
                "models": [_as_json(m) | {"default": m == default} for m in installed.all()],
                "available": [_entry_as_json(*pair) for pair in offered],
                "problems": problems,
                "embedding": [_as_json(model) for model in embedding],
            }
        )
        return 0
    for model in installed.all():
        mark = "  (default)" if model == default else ""
        size = readable_bytes(model.disk_bytes)
        output.line(f"{model.id:<12} {model.title}, {size}, {model.licence or '?'}{mark}")
    for problem in installed.problems():
        notice = messages.describe(problem.error)
        output.line(f"{problem.id:<12} {notice.message} {notice.action}")
    for entry, verdict in offered:
        output.line(
            f"{entry.id:<12} not installed: {readable_bytes(entry.fetch_bytes)} to fetch, "
            f"{readable_bytes(entry.disk_bytes)} on disk, {_VERDICTS[verdict.verdict]}"
        )
        output.line(f"{'':<12} {entry.about}")
    for entry in catalog.embedding_entries():
        state = f"not installed: {readable_bytes(entry.fetch_bytes)} to fetch"
        for found in embedding:
            state = f"{readable_bytes(found.disk_bytes)}, {found.licence}"
        output.line(f"{entry.id:<12} {entry.title}, not for chat, {state}")
        output.line(f"{'':<12} {entry.about}")
    return 0


def _add(options: argparse.Namespace, places: Paths, output: Output) -> int:
    started_s = time.perf_counter()
    service = _service(places)
    try:
        job = service.add(_source(options.source))
        while not (view := job.wait(_LOOK_EVERY_S)).is_last:
            output.status(_progress(view))
    finally:
        service.close()
    output.clear_status()
    if view.error is not None:
        raise view.error
    model = _home_of(view.model_id, places).get(view.model_id)
    seconds = time.perf_counter() - started_s
    if output.as_json:
        output.result(_as_json(model) | {"seconds": round(seconds, 2)})
    else:
        size = readable_bytes(model.disk_bytes)
        output.line(f"{model.title} is ready: {model.id}, {size}, in {seconds:.0f} s.")
    return 0


def _remove(options: argparse.Namespace, places: Paths, output: Output) -> int:
    service = _service(places)
    try:
        service.remove(options.id).result()
    finally:
        service.close()
    if output.as_json:
        output.result({"id": options.id, "removed": True})
    else:
        output.line(f"{options.id} is removed.")
    return 0


def _verify(options: argparse.Namespace, places: Paths, output: Output) -> int:
    def progress(done: int, total: int) -> None:
        output.status(f"Checking: {readable_bytes(done)} of {readable_bytes(total)}")

    service = _service(places)
    try:
        service.verify(options.id, progress).result()
    finally:
        service.close()
    output.clear_status()
    if output.as_json:
        output.result({"id": options.id, "ok": True})
    else:
        output.line("ok")
    return 0


def _fetch(options: argparse.Namespace, places: Paths, output: Output) -> int:
    entry = next((entry for entry in _all_entries() if entry.id == options.id), None)
    if entry is None:
        raise SourceUnknown(source=options.id)
    task = Task(lambda *progress: output.status(_progress(AddView(*progress))))
    try:
        original.fetch_raw(entry, options.file, downloads=places.downloads, task=task)
    except OSError as error:
        raise write_failed(error) from error
    output.clear_status()
    if output.as_json:
        output.result({"id": entry.id, "file": str(options.file), "sha256": entry.sha256})
    else:
        output.line(f"{entry.title} is in {options.file}.")
    return 0


def _source(words: list[str]) -> str | list[Path]:
    """Return a catalog id where one is named, else paths; a file `starter` is `./starter`."""
    if len(words) == 1 and words[0] in {entry.id for entry in _all_entries()}:
        return words[0]
    return [Path(word).expanduser() for word in words]


def _all_entries() -> tuple[CatalogEntry, ...]:
    return (*catalog.entries(), *catalog.embedding_entries())


def _home_of(model_id: str, places: Paths) -> InstalledModels:
    """Return the list that a model is in: the embedding model is not among those to chat with."""
    if model_id in {entry.id for entry in catalog.embedding_entries()}:
        return InstalledModels(places.embedding, catalog.embedding_entries)
    return InstalledModels(places.models)


def _progress(view: AddView) -> str:
    if not view.total_bytes:
        return f"{_STAGES[view.stage]}…"
    done, total = readable_bytes(view.done_bytes), readable_bytes(view.total_bytes)
    return f"{_STAGES[view.stage]}: {done} of {total}"


def _as_json(model: InstalledModel) -> dict[str, Any]:
    body = asdict(model)
    del body["folder"]
    return body


def _entry_as_json(entry: CatalogEntry, verdict: fit.Fit) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "name": entry.name,
        "about": entry.about,
        "good_for": entry.good_for,
        "not_for": entry.not_for,
        "licence": entry.licence,
        "fetch_bytes": entry.fetch_bytes,
        "disk_bytes": entry.disk_bytes,
        "fit": verdict.verdict,
        "limit": verdict.limit,
    }
