"""The models on this machine's disk: one folder each, with a manifest.

The folders are the only record, read anew each time, so that two programs, a restored backup or a
deleted folder never disagree with a list kept elsewhere.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal

from app.errors import ModelUnknown
from app.models import catalog
from app.models.catalog import CatalogEntry
from app.models.room import write_failed
from app.models.trash import Trash, size_of
from app.settings import Settings
from inference import manifest
from inference.errors import ModelDamaged, ModelMissing, WriteFailed
from inference.manifest import Manifest

TaskName = Literal["chat", "summary", "documents"]
"""What a model is used for: to chat, to summarize, and to answer from documents."""

_PREFERRED = ("standard", "starter")


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that can be loaded.

    Attributes:
        id: The folder's name, and what the command line calls it.
        title: What the window calls it.
        sha256: Of the file it was made from, or of its own files where it was made from none.
    """

    id: str
    title: str
    folder: Path
    sha256: str
    disk_bytes: int
    architecture: str
    quantization: str
    context_tokens: int
    licence: str


@dataclass(frozen=True, slots=True)
class ModelProblem:
    """A folder among the models that cannot be used, and why."""

    id: str
    error: ModelMissing | ModelDamaged


@dataclass(frozen=True, slots=True)
class DiskUse:
    """What the models take.

    Attributes:
        models: Bytes of every folder among the models by id, usable or not.
        set_aside_bytes: Of models that can be put back.
        left_bytes: Of models that were deleted and that the system held on to.
    """

    models: Mapping[str, int]
    set_aside_bytes: int
    left_bytes: int


class InstalledModels:
    """The models below one folder; may be used from any thread."""

    def __init__(
        self, folder: Path, entries: Callable[[], tuple[CatalogEntry, ...]] = catalog.entries
    ) -> None:
        self.folder = folder
        self._entries = entries
        self._trash = Trash(folder)

    def all(self) -> tuple[InstalledModel, ...]:
        """Return the usable models, by id."""
        return tuple(found for found in self._look() if isinstance(found, InstalledModel))

    def problems(self) -> tuple[ModelProblem, ...]:
        """Return the folders that are no usable models, by id."""
        return tuple(found for found in self._look() if isinstance(found, ModelProblem))

    def get(self, model_id: str) -> InstalledModel:
        """Return one model.

        Raises:
            ModelUnknown: There is none of this id.
            ModelMissing: One of its files is gone.
            ModelDamaged: Its manifest cannot be read, or a file has the wrong size.
        """
        folder = self.folder / model_id
        if Path(model_id).name != model_id or model_id.startswith(".") or not folder.is_dir():
            raise ModelUnknown(model=model_id)
        return self._read(folder)

    def taken_ids(self) -> frozenset[str]:
        """Return the ids that a new model must not have; one that is set aside keeps its id."""
        present = (found.id for found in self._look())
        return frozenset((*present, *self.set_aside_ids(), *(e.id for e in self._entries())))

    def default(self, settings: Settings, task: TaskName = "chat") -> InstalledModel | None:
        """Return the model to use when nobody names one; None when none is usable.

        It is the one that was chosen for the task, then the one to chat with, then the best.
        """
        usable = {model.id: model for model in self.all()}
        chosen = settings.task_models
        wanted = (chosen.get(task, ""), chosen.get("chat", ""), settings.model_id)
        for model_id in (*wanted, *_PREFERRED):
            if model_id and model_id in usable:
                return usable[model_id]
        return next(iter(usable.values()), None)

    def verify(
        self,
        model_id: str,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Event | None = None,
    ) -> None:
        """Read every byte of a model and compare it with its manifest.

        Raises:
            ModelUnknown: There is none of this id.
            ModelMissing: A file is gone.
            ModelDamaged: A file is not what it was when the model was added.
            Cancelled: `cancelled` was set.
        """
        manifest.verify(self.get(model_id).folder, progress=progress, cancelled=cancelled)

    def remove(self, model_id: str) -> None:
        """Delete a model, usable or not.

        It leaves the list in one step, before the first of its files goes: where a program still
        holds a file open and the system refuses, the model stays whole.

        Raises:
            ModelUnknown: There is none of this id.
            WriteFailed: The folder cannot be moved.
        """
        self._check_present(model_id)
        self.discard(self.folder / model_id)

    def set_aside(self, model_id: str) -> None:
        """Take a model out of the list, usable or not, so that `put_back` can undo it.

        Raises:
            ModelUnknown: There is none of this id.
            WriteFailed: The folder cannot be moved.
        """
        self._check_present(model_id)
        self._trash.set_aside(model_id)

    def put_back(self, model_id: str) -> None:
        """Undo `set_aside`.

        Raises:
            ModelUnknown: None of this id is set aside.
            WriteFailed: The folder cannot be moved.
        """
        self._trash.put_back(model_id)

    def set_aside_ids(self) -> frozenset[str]:
        """Return the ids that `put_back` can bring back."""
        return self._trash.set_aside_ids()

    def empty_trash(self) -> None:
        """Delete what was set aside, and what earlier removals have left. Takes a while.

        For the window alone, once it holds its lock: nobody else knows that no one wants it back.
        """
        self._trash.empty()

    def disk_use(self) -> DiskUse:
        """Return what the models take; looks at every file, but reads none."""
        return DiskUse(
            models={found.id: size_of(self.folder / found.id) for found in self._look()},
            set_aside_bytes=self._trash.set_aside_bytes(),
            left_bytes=self._trash.left_bytes(),
        )

    def place(self, prepared: Path) -> InstalledModel:
        """Move a complete model folder to its place; a broken one of its name gives way.

        Raises:
            WriteFailed: The folder cannot be moved.
        """
        target = self.folder / prepared.name
        if target.exists():
            self.discard(target)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            os.replace(prepared, target)  # noqa: PTH105 - a folder, and one step
        except OSError as error:
            raise write_failed(error) from error
        with suppress(
            WriteFailed
        ):  # the new model is in its place, whatever becomes of the old one
            self._trash.forget(prepared.name)
        return self.get(prepared.name)

    def discard(self, folder: Path) -> None:
        """Move a folder out of the list in one step, then delete it and what was left before.

        Raises:
            WriteFailed: It cannot be moved.
        """
        self._trash.discard(folder)

    def _check_present(self, model_id: str) -> None:
        if model_id not in {found.id for found in self._look()}:
            raise ModelUnknown(model=model_id)

    def _look(self) -> Iterator[InstalledModel | ModelProblem]:
        try:
            folders = sorted(path for path in self.folder.iterdir() if path.is_dir())
        except OSError:
            return
        for folder in folders:
            if folder.name.startswith("."):
                continue
            try:
                yield self._read(folder)
            except (ModelMissing, ModelDamaged) as error:
                yield ModelProblem(folder.name, error)

    def _read(self, folder: Path) -> InstalledModel:
        facts = manifest.read(folder)
        for name, digest in facts.files.items():
            try:
                size_bytes = (folder / name).stat().st_size
            except OSError as error:
                raise ModelMissing(model=folder.name) from error
            if size_bytes != digest.bytes:
                raise ModelDamaged(file=name, reason="wrong size")
        known = next((e for e in self._entries() if e.sha256 == facts.source_sha256), None)
        return InstalledModel(
            id=folder.name,
            title=known.title if known else facts.name or folder.name,
            folder=folder,
            sha256=facts.source_sha256 or _own_sha256(facts),
            disk_bytes=sum(digest.bytes for digest in facts.files.values()),
            architecture=facts.architecture,
            quantization=facts.quantization,
            context_tokens=facts.context_tokens,
            licence=known.licence if known else facts.licence,
        )


def _own_sha256(facts: Manifest) -> str:
    """Return one hash that stands for all files of a model that was made from no single file."""
    digest = hashlib.sha256()
    for name, file in sorted(facts.files.items()):
        digest.update(f"{file.sha256} {name}\n".encode())
    return digest.hexdigest()
