"""What a window asks to compare models: what there is, and comparisons under way."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.models.comparing import Comparison
from app.models.comparing_job import CompareJob, OnReport
from app.models.comparing_values import ComparisonReport, Contender, Trial
from app.models.installed import InstalledModel, InstalledModels
from app.models.task import Task
from app.settings import Settings
from inference.child import Child
from inference.devices import CPU_PROVIDER

if TYPE_CHECKING:
    from app.models.devices import DeviceService

ReadText = Callable[[Path, threading.Event], str]


class CompareService:
    """Starts comparisons, one at a time as far as a window is concerned.

    Args:
        launch: Starts a host process.
        devices: Gives the device service; asked on threads where it may block.
        read_text: Reads a document into one text until its event is set; may raise DocumentError.
    """

    def __init__(
        self,
        launch: Callable[[], Child],
        installed: InstalledModels,
        settings: Callable[[], Settings],
        *,
        devices: "Callable[[], DeviceService]",
        read_text: ReadText,
    ) -> None:
        self._launch = launch
        self._installed = installed
        self._settings = settings
        self._devices = devices
        self._read_text = read_text
        self._jobs: list[CompareJob] = []

    def models(self) -> tuple[InstalledModel, ...]:
        """Return the models that can be compared; reads the disk."""
        return self._installed.all()

    def device_names(self) -> tuple[str, ...]:
        """Return the devices beside the processor that are not known to fail, best first.

        May take seconds.
        """
        reports = self._devices().reports()
        return tuple(
            each.target.name
            for each in reports
            if each.state != "failed"
            and not each.is_virtual
            and each.target.provider != CPU_PROVIDER
        )

    def start(
        self, contenders: Sequence[Contender], trial: Trial, document: Path | None
    ) -> CompareJob:
        """Begin a comparison; the document's text takes the place of the trial's."""

        def work(task: Task, on_report: OnReport) -> ComparisonReport:
            text = self._read_text(document, task.stopped) if document is not None else trial.text
            comparison = Comparison(
                self._launch,
                self._installed,
                self._settings,
                decide=lambda model, wish: self._devices().decide(model, wish),
            )
            given = replace(trial, text=text)
            return comparison.run(contenders, given, task=task, on_update=on_report)

        job = CompareJob(work)
        self._jobs = [each for each in self._jobs if not each.view().is_last]
        self._jobs.append(job)
        job.start()
        return job

    def close(self) -> None:
        """Stop what runs, and wait for its threads."""
        for job in self._jobs:
            job.stop()
        for job in self._jobs:
            job.wait()
