import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from app.models import catalog
from app.models.add_job import AddJob
from app.models.catalog import CatalogEntry
from app.models.fit import Machine
from app.models.installed import InstalledModel
from app.models.task import Task

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


class ScriptedModels:
    """Stands where the model service stands; its jobs are real and do what the test says.

    Attributes:
        sources: What was asked to be added, oldest first.
    """

    def __init__(self) -> None:
        self.here: list[InstalledModel] = []
        self.fetched: dict[str, int] = {}
        self.sources: list[str | Sequence[Path]] = []
        self.work: Callable[[Task], str] = lambda task: "starter"
        self._jobs: list[AddJob] = []

    def installed(self) -> tuple[InstalledModel, ...]:
        return tuple(self.here)

    def available(self) -> tuple[CatalogEntry, ...]:
        ids = {model.id for model in self.here}
        return tuple(entry for entry in catalog.entries() if entry.id not in ids)

    def fetched_bytes(self, entry: CatalogEntry) -> int:
        return self.fetched.get(entry.id, 0)

    def add(self, source: str | Sequence[Path]) -> AddJob:
        self.sources.append(source)
        job = AddJob(self.work)
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
