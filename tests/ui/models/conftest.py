import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from app.errors import NothingToResume
from app.models import catalog, hub_catalog
from app.models.add_job import AddJob
from app.models.catalog import CatalogEntry
from app.models.fit import Machine
from app.models.found.values import FoundModel
from app.models.hub.values import RemoteFile, RemoteModel
from app.models.hub_catalog import HubEntry
from app.models.installed import InstalledModel, ModelProblem
from app.models.sources import CatalogSource, Source
from app.models.task import Task
from app.models.unfinished import Unfinished
from app.settings import Settings
from inference.errors import Fact
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks

GB = 1_000_000_000
BIG_MACHINE = Machine(32 * GB, 16 * GB, 500 * GB)


def installed(entry: CatalogEntry) -> InstalledModel:
    return InstalledModel(
        id=entry.id,
        title=entry.title,
        folder=Path(entry.id),
        sha256=entry.sha256,
        disk_bytes=entry.disk_bytes,
        architecture=entry.architecture,
        quantization=entry.quantization,
        context_tokens=entry.context_tokens,
        licence=entry.licence,
    )


def remote_file(path: str, size_bytes: int) -> RemoteFile:
    return RemoteFile(path, size_bytes, "0" * 64, is_sha256=True)


def onnx_folder(name: str, size_bytes: int) -> tuple[RemoteFile, ...]:
    names = {"genai_config.json": 2000, "tokenizer.json": 5000, "model.onnx": size_bytes}
    return tuple(remote_file(f"{name}/{each}", size) for each, size in names.items())


REMOTE = RemoteModel(
    "acme/tiny-model",
    "0123456789abcdef0123456789abcdef01234567",
    "apache-2.0",
    is_gated=False,
    files=(
        *onnx_folder("cpu-int4", GB),
        *onnx_folder("cuda-int4", 2 * GB),
        remote_file("tiny-Q4_K_M.gguf", GB),
    ),
)


def ended(error: Exception | None) -> Future[None]:
    future: Future[None] = Future()
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
    return future


class MemoryTokens:
    """A keyring that a test can look into, or lock."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.error: Exception | None = None

    def load(self, endpoint: str) -> str:
        return self.kept.get(endpoint, "")

    def save(self, endpoint: str, token: str) -> None:
        if self.error is not None:
            raise self.error
        self.kept[endpoint] = token

    def forget(self, endpoint: str) -> None:
        self.kept.pop(endpoint, None)


class ScriptedModels:
    """Stands where the model service stands; its jobs are real and do what the test says.

    Attributes:
        sources: What was asked to be added, oldest first.
    """

    def __init__(self) -> None:
        self.here: list[InstalledModel] = []
        self.fetched: dict[str, int] = {}
        self.sources: list[str | Sequence[Path] | Source] = []
        self.work: Callable[[Task], str] = lambda task: "starter"
        self.broken: list[ModelProblem] = []
        self.kept: list[Unfinished] = []
        self.removed: list[InstalledModel] = []
        self.removals: list[str] = []
        self.resumed: list[str] = []
        self.exported: list[tuple[str, Path]] = []
        self.of_others: tuple[FoundModel, ...] = ()
        self.damage: Exception | None = None
        self.asked: list[tuple[str, str]] = []
        self.answer: RemoteModel | Exception = REMOTE
        self.tokens = MemoryTokens()
        self._jobs: list[AddJob] = []

    def installed(self) -> tuple[InstalledModel, ...]:
        return tuple(self.here)

    def available(self) -> tuple[CatalogEntry, ...]:
        ids = {model.id for model in self.here}
        return tuple(entry for entry in catalog.entries() if entry.id not in ids)

    def fetched_bytes(self, entry: CatalogEntry) -> int:
        return self.fetched.get(entry.id, 0)

    def add(self, source: str | Sequence[Path] | Source) -> AddJob:
        self.sources.append(source)
        return self._start(source if isinstance(source, str) else "")

    def problems(self) -> tuple[ModelProblem, ...]:
        return tuple(self.broken)

    def unfinished(self) -> tuple[Unfinished, ...]:
        return tuple(self.kept)

    def resume(self, model_id: str) -> AddJob:
        if all(each.id != model_id for each in self.kept):
            raise NothingToResume(model=model_id)
        self.resumed.append(model_id)
        return self._start(model_id)

    def discard_fetched(self, model_id: str) -> Future[None]:
        self.kept = [each for each in self.kept if each.id != model_id]
        return ended(None)

    @staticmethod
    def kept_of(entry: CatalogEntry) -> Unfinished:
        source = CatalogSource(entry)
        return Unfinished(
            entry.id, entry.title, 500_000_000, entry.file_bytes, source, is_running=False
        )

    def remove(self, model_id: str) -> Future[None]:
        self.removals.append(model_id)
        self.removed = [model for model in self.here if model.id == model_id]
        self.here = [model for model in self.here if model.id != model_id]
        return ended(None)

    def undo_remove(self, model_id: str) -> Future[None]:
        self.here += self.removed
        return ended(None)

    def verify(
        self, model_id: str, on_progress: Callable[[int, int], None] | None = None
    ) -> Future[None]:
        if on_progress is not None:
            on_progress(50, 100)
        return ended(self.damage)

    def vouching(self, file: Path) -> Future[tuple[str, dict[str, Fact]]]:
        future: Future[tuple[str, dict[str, Fact]]] = Future()
        future.set_result(("pack_unsigned", {}))
        return future

    def export(self, model_id: str, file: Path, sign_with: Path | None = None) -> AddJob:
        self.exported.append((model_id, file))
        return self._start(model_id)

    def found(self) -> Future[tuple[FoundModel, ...]]:
        future: Future[tuple[FoundModel, ...]] = Future()
        future.set_result(self.of_others)
        return future

    def hub_entries(self) -> tuple[HubEntry, ...]:
        return hub_catalog.hub_entries()

    def hub_endpoint(self) -> str:
        return "https://hub.example"

    def look_up(self, repository: str, revision: str = "main") -> Future[RemoteModel]:
        self.asked.append((repository, revision))
        future: Future[RemoteModel] = Future()
        if isinstance(self.answer, Exception):
            future.set_exception(self.answer)
        else:
            future.set_result(self.answer)
        return future

    def _start(self, model_id: str) -> AddJob:
        job = AddJob(self.work, model_id)
        self._jobs.append(job)
        job.start()
        return job

    def close(self) -> None:
        for job in self._jobs:
            job.cancel()
            job.wait(10)


class HeldWork:
    """An addition that stops where the test wants it."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.error: Exception | None = None

    def __call__(self, task: Task) -> str:
        task.report("fetching", 25_000_000, 100_000_000)
        while not self.go_on.wait(0.01):
            task.check()
        if self.error is not None:
            raise self.error
        return "starter"


@pytest.fixture
def models() -> Iterator[ScriptedModels]:
    models = ScriptedModels()
    yield models
    models.close()


@pytest.fixture
def held(models: ScriptedModels) -> HeldWork:
    work = HeldWork()
    models.work = work
    return work


@pytest.fixture
def keeper(tasks: Tasks, tmp_path: Path) -> SettingsKeeper:
    return SettingsKeeper(Settings(), tmp_path / "settings.json", tasks)
