"""Adds the model of a pack."""

from pathlib import Path

from app.models.installed import InstalledModels
from app.models.pack import installing, reading
from app.models.pack.trust import Trust
from app.models.task import Task
from app.models.workspace import Workspace


def add_pack(
    file: Path, *, installed: InstalledModels, downloads: Path, trust: Trust, task: Task
) -> str:
    """Add the model of a pack and return its id; one that is here already is not added again.

    Raises:
        PolicyError: The machine's policy does not allow this pack.
        AppError: It is damaged, there is too little room, or it is being added already.
        InferenceError: It holds what Snug does not run, or the task was stopped.
        OSError: A file cannot be read or written.
    """
    facts = reading.open_pack(file)
    trust.policy.check_signer(facts.signer, pack=file.name)
    if (present := installing.present_id(facts, installed)) is not None:
        return present
    downloads.mkdir(parents=True, exist_ok=True)
    workspace = Workspace(downloads, installing.free_id(facts, installed, trust))
    with workspace.claimed():
        try:
            workspace.clear_model()
            installing.install(file, workspace.model, trust=trust, task=task)
            installed.place(workspace.model)
        finally:
            workspace.clear()
    return workspace.model_id
