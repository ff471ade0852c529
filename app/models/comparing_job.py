"""A comparison under way: its own thread, a view for whoever looks, and a way to stop it."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from app.errors import AppError
from app.models.comparing_values import ComparisonReport
from app.models.task import Task
from inference.errors import Cancelled, InferenceError

_LOG = logging.getLogger(__name__)

OnReport = Callable[[ComparisonReport], None]


@dataclass(frozen=True, slots=True)
class CompareView:
    """How far a comparison is.

    Attributes:
        stage: `reading` the document, `comparing`, or one of the ends.
        report: What has been measured; it stays, however the comparison ends.
        error: Why it failed.
    """

    stage: Literal["reading", "comparing", "done", "failed", "stopped"] = "reading"
    report: ComparisonReport | None = None
    error: Exception | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after this."""
        return self.stage in ("done", "failed", "stopped")


class CompareJob:
    """One comparison; all methods may be called from any thread.

    Args:
        work: Reads the document and compares; blocks.
    """

    def __init__(self, work: Callable[[Task, OnReport], ComparisonReport]) -> None:
        self._work = work
        self._task = Task()
        # Replaced as a whole, by the job's thread alone, so that a reader needs no lock.
        self._view = CompareView()
        self._thread = threading.Thread(target=self._run, name="compare-models")

    def start(self) -> None:
        """Begin; called once."""
        self._thread.start()

    def view(self) -> CompareView:
        """Return how far it is now. Never blocks."""
        return self._view

    def stop(self) -> None:
        """Ask for the end. Never blocks."""
        self._task.stop()

    def wait(self, timeout_s: float | None = None) -> CompareView:
        """Wait for the end, or for `timeout_s`, and return the view."""
        self._thread.join(timeout_s)
        return self._view

    def _run(self) -> None:
        try:
            report = self._work(self._task, self._on_report)
        except Cancelled:
            self._view = replace(self._view, stage="stopped")
        except (AppError, InferenceError) as error:
            self._view = replace(self._view, stage="failed", error=error)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must end the job where it is seen
            _LOG.error("comparing failed: %s", type(error).__name__)
            self._view = replace(self._view, stage="failed", error=error)
        else:
            self._view = CompareView("done", report)

    def _on_report(self, report: ComparisonReport) -> None:
        self._view = CompareView("comparing", report)
