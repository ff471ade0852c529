"""Adds a model of a hub: asked for its files, the right ones fetched and proven, then installed.

A folder for the runtime is moved, not copied, so that a download needs its room once.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import VariantUnknown
from app.models import naming, onnx_folder
from app.models.adding import Adder
from app.models.hub.client import HubClient
from app.models.hub.obtaining import obtain_variant, read_record
from app.models.hub.values import RemoteModel, Variant, VariantDevice
from app.models.hub.variants import choose, variants
from app.models.pausing import obeying
from app.models.sources import HubSource
from app.models.task import Task
from app.models.workspace import Workspace
from inference import manifest
from inference.errors import InferenceError


@dataclass(frozen=True, slots=True)
class HubAdder:
    """What adding from a hub needs; holds no state.

    Attributes:
        devices: What this machine can run on, the best first; may block.
    """

    adder: Adder
    client: HubClient
    devices: Callable[[], Sequence[VariantDevice]]

    def add(self, source: HubSource, task: Task, on_id: Callable[[str], None]) -> str:
        """Add the model and return its id; `on_id` gets it as soon as it is known.

        Raises:
            AppError: It cannot be fetched, there is too little room, or it is being added already.
            InferenceError: It cannot be installed, or the task was stopped.
            OSError: A file cannot be read or written.
        """
        if source.model_id in {one.id for one in self.adder.installed.all()}:
            return source.model_id
        task.report("listing", 0, 0)
        model = self.client.look_up(source.repository, source.revision, task=task)
        variant = self._variant(source, model)
        origin = f"hub:{model.repository}@{model.commit}/{variant.name}"
        if installed := self._installed(origin):
            return installed
        workspace = self._workspace(source, variant)
        on_id(workspace.model_id)
        # A later start goes on with exactly this.
        exact = replace(
            source, revision=model.commit, variant=variant.name, model_id=workspace.model_id
        )
        with workspace.claimed():
            with obeying(workspace, task):
                fetched = obtain_variant(
                    exact, variant, model, workspace, self.client, task, task.report_files
                )
            if variant.kind == "gguf":
                self.adder.convert(fetched, workspace, task)
            else:
                self._install(fetched, workspace, model, origin, task)
            workspace.clear()
        return workspace.model_id

    def _variant(self, source: HubSource, model: RemoteModel) -> Variant:
        found = variants(model, source.folder)
        if source.variant is None:
            chosen = choose(found, devices=self.devices())
        else:
            chosen = next((one for one in found if one.name == source.variant), None)
        if chosen is None:
            raise VariantUnknown(
                repository=source.repository, variants=", ".join(one.name for one in found)
            )
        return chosen

    def _workspace(self, source: HubSource, variant: Variant) -> Workspace:
        """Return where it is fetched to: where an earlier start of the same fetch left off."""
        downloads = self.adder.downloads
        downloads.mkdir(parents=True, exist_ok=True)
        if source.model_id:
            return Workspace(downloads, source.model_id)
        wanted = naming.id_from(source.repository.rpartition("/")[2])
        for folder in downloads.glob(f"{wanted}*"):
            workspace = Workspace(downloads, folder.name)
            record = read_record(workspace)
            if record is None:
                continue
            kept = record.source
            if (kept.repository, kept.variant) == (source.repository, variant.name):
                return workspace
        taken = self.adder.installed.taken_ids() | {path.name for path in downloads.iterdir()}
        return Workspace(downloads, naming.unique(wanted, taken))

    def _installed(self, origin: str) -> str:
        for model in self.adder.installed.all():
            with suppress(InferenceError):
                if manifest.read(model.folder).origin == origin:
                    return model.id
        return ""

    def _install(
        self, fetched: Path, workspace: Workspace, model: RemoteModel, origin: str, task: Task
    ) -> None:
        facts = onnx_folder.check(fetched)
        task.report("checking", 0, 0)
        task.check()
        workspace.clear_model()
        workspace.model.mkdir()
        try:
            for path in facts.files:
                path.replace(workspace.model / path.name)
            manifest.write(
                workspace.model,
                facts={
                    **onnx_folder.manifest_facts(facts),
                    "name": model.repository.rpartition("/")[2],
                    "licence": model.licence,
                    "origin": origin,
                },
            )
            self.adder.installed.place(workspace.model)
        except BaseException:
            # They were proven, and may have taken an hour to come.
            for path in facts.files:
                with suppress(OSError):
                    (workspace.model / path.name).replace(path)
            workspace.clear_model()
            raise
