"""Gets one variant of a hub's model into a workspace, over as many starts as it takes.

What is being fetched is written down before the first byte, so that a later start knows it without
asking anybody.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.atomic import write_atomically
from app.models.hub.client import HubClient
from app.models.hub.part import missing_bytes, stored_bytes
from app.models.hub.paths import PARTS_FOLDER
from app.models.hub.values import RemoteModel, Variant
from app.models.progress import FetchProgress
from app.models.room import check_room
from app.models.sources import HubSource
from app.models.task import Task
from app.models.workspace import Workspace
from inference.errors import BadFrame
from inference.frames import Codec

_RECORD = "download.json"
_FOLDER = "hub"


@dataclass(frozen=True, slots=True)
class DownloadRecord:
    """What a workspace fetches from a hub.

    Attributes:
        commit: What the source's revision stood for.
    """

    source: HubSource
    commit: str
    variant: Variant


_CODEC = Codec((DownloadRecord,))


def read_record(workspace: Workspace) -> DownloadRecord | None:
    """Return what the workspace fetches; None where that is nothing, or cannot be read."""
    try:
        record: DownloadRecord = _CODEC.decode((workspace.folder / _RECORD).read_bytes())
    except (OSError, BadFrame):
        return None
    return record


def came_bytes(workspace: Workspace, record: DownloadRecord) -> int:
    """Return how many bytes of the variant are there, as far as sizes tell; reads the disk."""
    folder = workspace.folder / _FOLDER
    return sum(stored_bytes(folder, file) for file in record.variant.files)


def obtain_variant(  # noqa: PLR0917 - what is fetched, where to, and by whom: each is one of a kind
    source: HubSource,
    variant: Variant,
    model: RemoteModel,
    workspace: Workspace,
    client: HubClient,
    task: Task,
    on_progress: Callable[[FetchProgress], None],
) -> Path:
    """Return a finished folder or GGUF file in a claimed workspace, every file of it proven.

    Raises:
        NoSpace: Too little room, known before the first byte where possible.
        DownloadError: A file could not be fetched; what came stays.
        WriteFailed: The workspace cannot be written.
        Cancelled: The task was stopped; what came stays.
        OSError: The workspace cannot be written.
    """
    folder = workspace.folder / _FOLDER
    task.report("space", 0, 0)
    # A GGUF file and what is made of it lie beside each other for a while.
    later_bytes = variant.bytes if variant.kind == "gguf" else 0
    check_room(workspace.folder, missing_bytes(folder, variant.files) + later_bytes)
    record = DownloadRecord(source, model.commit, variant)
    if read_record(workspace) != record:
        write_atomically(workspace.folder / _RECORD, _CODEC.encode(record))
    client.fetch(model, variant.files, folder, task=task, on_progress=on_progress)
    shutil.rmtree(folder / PARTS_FOLDER, ignore_errors=True)
    return folder / variant.name if variant.name else folder
