"""`snug models list`: what is installed, what is under way, and what can be added."""

import argparse
from dataclasses import asdict
from typing import Any

from app import messages
from app.cli.models_service import as_json, opened
from app.cli.output import Output
from app.messages import readable_bytes
from app.models import catalog, fit
from app.models.catalog import CatalogEntry
from app.models.fit import Fit
from app.models.found.values import FoundModel
from app.models.installed import InstalledModels
from app.models.service import ModelService
from app.models.unfinished import Unfinished
from app.paths import Paths
from app.settings import Settings

VERDICTS = {
    "fits": "fits this computer",
    "tight": "fits when other programs are closed",
    "too_big": "too big for this computer",
}


def run(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Print everything, or with `--found` what other programs have."""
    machine = fit.look(places.models)
    with opened(places) as service:
        if options.found:
            _print_found(service.found().result(), output)
            return 0
        offered = [(entry, fit.judge(entry, machine)) for entry in service.available()]
        if output.as_json:
            _print_json(service, places, offered, output)
            return 0
        _print_installed(service, places, output)
        _print_unfinished(service.unfinished(), output)
        _print_offers(offered, service, output)
        output.line("More: snug models search TEXT, snug models list --found")
    return 0


def _default_id(places: Paths) -> str:
    default = InstalledModels(places.models).default(Settings.load(places.settings))
    return default.id if default is not None else ""


def _print_json(
    service: ModelService, places: Paths, offered: list[tuple[CatalogEntry, Fit]], output: Output
) -> None:
    default_id = _default_id(places)
    embedding = service.embedding()
    output.result(
        {
            "models": [
                as_json(model) | {"default": model.id == default_id}
                for model in service.installed()
            ],
            "available": [_entry_as_json(*pair) for pair in offered],
            "unfinished": [_unfinished_as_json(one) for one in service.unfinished()],
            "problems": [
                {"id": problem.id, "code": problem.error.code} for problem in service.problems()
            ],
            "embedding": [as_json(embedding)] if embedding else [],
        }
    )


def _print_installed(service: ModelService, places: Paths, output: Output) -> None:
    default_id = _default_id(places)
    for model in service.installed():
        mark = "  (default)" if model.id == default_id else ""
        size = readable_bytes(model.disk_bytes)
        output.line(f"{model.id:<12} {model.title}, {size}, {model.licence or '?'}{mark}")
    for problem in service.problems():
        notice = messages.describe(problem.error)
        output.line(f"{problem.id:<12} {notice.message} {notice.action}")


def _print_unfinished(found: tuple[Unfinished, ...], output: Output) -> None:
    for one in found:
        done, total = readable_bytes(one.done_bytes), readable_bytes(one.total_bytes)
        state = "being fetched" if one.is_running else f"go on with: snug models resume {one.id}"
        output.line(f"{one.id:<12} {done} of {total} here, {state}")


def _print_offers(
    offered: list[tuple[CatalogEntry, Fit]], service: ModelService, output: Output
) -> None:
    for entry, verdict in offered:
        output.line(
            f"{entry.id:<12} not installed: {readable_bytes(entry.fetch_bytes)} to fetch, "
            f"{readable_bytes(entry.disk_bytes)} on disk, {VERDICTS[verdict.verdict]}"
        )
        output.line(f"{'':<12} {entry.about}")
    embedding = service.embedding()
    for entry in catalog.embedding_entries():
        state = f"not installed: {readable_bytes(entry.fetch_bytes)} to fetch"
        if embedding is not None:
            state = f"{readable_bytes(embedding.disk_bytes)}, {embedding.licence}"
        output.line(f"{entry.id:<12} {entry.title}, not for chat, {state}")
        output.line(f"{'':<12} {entry.about}")


def _print_found(found: tuple[FoundModel, ...], output: Output) -> None:
    if output.as_json:
        output.result({"found": [_found_as_json(model) for model in found]})
        return
    if not found:
        output.line("No models of LM Studio, Ollama, Jan or GPT4All were found.")
    for model in found:
        if model.error is not None:
            notice = messages.describe(model.error)
            output.line(f"{model.program}: {model.name}: {notice.message}")
        elif model.summary is not None:
            size = readable_bytes(model.summary.bytes)
            output.line(f"{model.program}: {model.name}, {size}, {model.summary.quantization}")
            output.line(f"    snug models add '{model.file}'")


def _found_as_json(model: FoundModel) -> dict[str, Any]:
    return {
        "program": model.program,
        "name": model.name,
        "file": str(model.file),
        "licence": model.licence,
        "error": model.error.code if model.error is not None else "",
        "summary": asdict(model.summary) if model.summary is not None else None,
    }


def _unfinished_as_json(one: Unfinished) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "done_bytes": one.done_bytes,
        "total_bytes": one.total_bytes,
        "running": one.is_running,
    }


def _entry_as_json(entry: CatalogEntry, verdict: Fit) -> dict[str, Any]:
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
