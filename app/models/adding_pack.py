"""Adds a model from a pack: looked at, allowed, copied, proven, and then put in its place."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.models.installed import InstalledModels
from app.models.pack.installing import free_id, install, present_id
from app.models.pack.reading import open_pack
from app.models.pack.trust import Trust
from app.models.sources import PackSource
from app.models.task import Task
from app.models.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PackAdder:
    """What adding packs needs; holds no state."""

    installed: InstalledModels
    downloads: Path
    trust: Callable[[], Trust]

    def add(self, source: PackSource, task: Task) -> str:
        """Add the model of a pack and return its id.

        Raises:
            AppError: It is no pack, it is not allowed here, or there is too little room.
            InferenceError: It holds what Snug does not run, or the task was stopped.
            OSError: A file cannot be read or written.
        """
        trust = self.trust()
        facts = open_pack(source.file)
        trust.policy.check_signer(facts.signer, pack=source.file.name)
        if present := present_id(facts, self.installed):
            return present
        workspace = Workspace(self.downloads, free_id(facts, self.installed, trust))
        with workspace.claimed():
            try:
                workspace.clear_model()
                install(source.file, workspace.model, trust=trust, task=task)
                self.installed.place(workspace.model)
            finally:
                workspace.clear()
        return workspace.model_id
