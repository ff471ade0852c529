"""`snug models add`, `pause`, `resume` and `fetch`."""

import argparse
import time
from pathlib import Path

from app.cli.models_packs import tell_signer
from app.cli.models_service import all_entries, as_json, home_of, opened
from app.cli.output import Output
from app.cli.reading import time_left
from app.errors import SourceUnknown
from app.messages import readable_bytes
from app.models import original, pausing
from app.models.add_job import AddJob, AddView
from app.models.hub_catalog import hub_entries, repository_of
from app.models.room import write_failed
from app.models.sources import HubSource
from app.models.task import Task
from app.models.workspace import Workspace
from app.paths import Paths

_STAGES = {
    "space": "Looking for room",
    "listing": "Asking the hub",
    "fetching": "Fetching",
    "joining": "Copying",
    "checking": "Checking",
    "converting": "Converting",
}
_LOOK_EVERY_S = 0.1
_PAUSE_S = 15.0


def add(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Add what was named and wait for it; a second run goes on where this one was stopped."""
    with opened(places) as service:
        source = _source(options.source, options.revision, options.variant)
        tell_signer(source, places, output)
        return _follow(service.add(source), places, output)


def resume(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Go on with a download that was stopped."""
    with opened(places) as service:
        return _follow(service.resume(options.id), places, output)


def pause(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Have whoever fetches a model stop; what has come stays."""
    try:
        has_paused = pausing.ask(Workspace(places.downloads, options.id), timeout_s=_PAUSE_S)
    except OSError as error:
        raise write_failed(error) from error
    if output.as_json:
        output.result({"id": options.id, "paused": has_paused})
    elif has_paused:
        output.line(f"{options.id} is paused. Go on with: snug models resume {options.id}")
    else:
        output.line(f"{options.id} will pause as soon as the step under way is done.")
    return 0


def fetch(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Fetch a model's original file."""
    entry = next((entry for entry in all_entries() if entry.id == options.id), None)
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


def _follow(job: AddJob, places: Paths, output: Output) -> int:
    started_s = time.perf_counter()
    while not (view := job.wait(_LOOK_EVERY_S)).is_last:
        output.status(_progress(view))
    output.clear_status()
    if view.error is not None:
        raise view.error
    if view.stage == "paused":
        if output.as_json:
            output.result({"id": view.model_id, "paused": True})
        else:
            output.line(f"Paused. Go on with: snug models resume {view.model_id}")
        return 0
    model = home_of(view.model_id, places).get(view.model_id)
    seconds = time.perf_counter() - started_s
    if output.as_json:
        output.result(as_json(model) | {"seconds": round(seconds, 2)})
    else:
        size = readable_bytes(model.disk_bytes)
        output.line(f"{model.title} is ready: {model.id}, {size}, in {seconds:.0f} s.")
    return 0


def _source(words: list[str], revision: str, variant: str | None) -> str | list[Path] | HubSource:
    """Return what was named: a model of a list, else paths, else a repository of the hub.

    A file that is called `starter` is `./starter`.
    """
    if len(words) == 1:
        (word,) = words
        if word in {entry.id for entry in all_entries()}:
            return word
        for entry in hub_entries():
            if entry.id == word:
                return HubSource(entry.repository, revision, variant, entry.folder, entry.id)
        if (repository := repository_of(word)) and not Path(word).expanduser().exists():
            return HubSource(repository, revision, variant)
    return [Path(word).expanduser() for word in words]


def _progress(view: AddView) -> str:
    if not view.total_bytes:
        return f"{_STAGES[view.stage]}…"
    done, total = readable_bytes(view.done_bytes), readable_bytes(view.total_bytes)
    text = f"{_STAGES[view.stage]}: {done} of {total}"
    if view.bytes_per_s:
        text += f", {readable_bytes(int(view.bytes_per_s))}/s"
    return text + time_left(view.seconds_left)
