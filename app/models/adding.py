"""Adds one model: from what was given to a folder in its place, in whole or not at all."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.models import naming, onnx_folder
from app.models.catalog import CatalogEntry, Kind
from app.models.installed import InstalledModels
from app.models.original import obtain
from app.models.pausing import obeying
from app.models.room import check_room
from app.models.sources import CatalogSource, FolderSource, GgufSource
from app.models.task import Task
from app.models.workspace import Workspace
from inference import manifest
from inference.child import Child
from inference.gguf.run import run_import

_CHUNK_BYTES = 1 << 20
# Repacked weights and their scales take more room than in the GGUF file, at most this much.
_GROWTH = 1.5


@dataclass(frozen=True, slots=True)
class Adder:
    """What adding needs; holds no state, so each call of `add` may have a thread of its own."""

    installed: InstalledModels
    downloads: Path
    entries: Callable[[], tuple[CatalogEntry, ...]]
    launch_import: Callable[[], Child]
    kind: Kind = "chat"

    def add(self, source: CatalogSource | GgufSource | FolderSource, task: Task) -> str:
        """Add what `source` says and return the model's id.

        Raises:
            AppError: It cannot be fetched, there is too little room, or it is being added already.
            InferenceError: It cannot be converted, or the task was stopped.
            OSError: A file cannot be read or written.
        """
        self.downloads.mkdir(parents=True, exist_ok=True)
        match source:
            case CatalogSource():
                return self._add_entry(source, task)
            case GgufSource():
                return self._add_gguf(source, task)
            case FolderSource():
                return self._add_folder(source, task)

    def _add_entry(self, source: CatalogSource, task: Task) -> str:
        entry = source.entry
        if any(model.id == entry.id for model in self.installed.all()):
            return entry.id
        workspace = Workspace(self.downloads, entry.id)
        with workspace.claimed():
            with obeying(workspace, task):
                original = obtain(
                    entry, workspace, task=task, given=source.given, later_bytes=entry.disk_bytes
                )
            self.convert(original, workspace, task)
            workspace.clear()
        return entry.id

    def _add_gguf(self, source: GgufSource, task: Task) -> str:
        # Brings numpy, for which the window must not wait when it starts.
        from inference.gguf.importer import describe  # noqa: PLC0415

        summary = describe(source.file)
        task.report("space", 0, 0)
        check_room(self.downloads, int(summary.bytes * _GROWTH))
        sha256 = _hash(source.file, summary.bytes, task)
        for model in self.installed.all():
            if model.sha256 == sha256:
                return model.id
        known = next((entry.id for entry in self.entries() if entry.sha256 == sha256), None)
        model_id = known or self.new_id(source.name or summary.name or source.file.stem)
        workspace = Workspace(self.downloads, model_id)
        with workspace.claimed():
            self.convert(source.file, workspace, task)
        return model_id

    def _add_folder(self, source: FolderSource, task: Task) -> str:
        facts = onnx_folder.check(source.folder)
        task.report("space", 0, 0)
        check_room(self.downloads, facts.total_bytes)
        workspace = Workspace(self.downloads, self.new_id(facts.name))
        with workspace.claimed():
            try:
                workspace.clear_model()
                onnx_folder.copy(facts, workspace.model, task)
                task.report("checking", 0, 0)
                manifest.write(workspace.model, facts=onnx_folder.manifest_facts(facts))
                self.installed.place(workspace.model)
            finally:
                workspace.clear()
        return workspace.model_id

    def convert(self, original: Path, workspace: Workspace, task: Task) -> None:
        """Make a model of a whole file in a claimed workspace, and put it in its place.

        Raises:
            InferenceError: It cannot be converted, or the task was stopped.
            WriteFailed: It cannot be put there.
        """
        try:
            workspace.clear_model()
            task.report("converting", 0, 0)
            run_import(
                self.launch_import,
                original,
                workspace.model,
                kind="embedding" if self.kind == "embedding" else "gguf",
                on_progress=lambda done, total: task.report("converting", done, total),
                cancelled=task.stopped,
            )
            task.check()
            self.installed.place(workspace.model)
        finally:
            workspace.clear_model()

    def new_id(self, name: str) -> str:
        """Return an id made of `name` that no model has."""
        return naming.unique(naming.id_from(name), self.installed.taken_ids())


def _hash(file: Path, size_bytes: int, task: Task) -> str:
    digest, done = hashlib.sha256(), 0
    with file.open("rb") as opened:
        while chunk := opened.read(_CHUNK_BYTES):
            task.check()
            digest.update(chunk)
            done += len(chunk)
            task.report("checking", done, size_bytes)
    return digest.hexdigest()
