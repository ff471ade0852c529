"""A model that is being added: its own thread, a view for whoever looks, and ways to stop it."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from app.errors import AppError
from app.models import task
from app.models.pace import Pace
from app.models.progress import FetchProgress, FileProgress
from app.models.room import write_failed
from app.models.task import Task
from inference.errors import Cancelled, InferenceError

Stage = Literal[task.Stage, "done", "failed", "cancelled", "paused"]

_LAST: tuple[Stage, ...] = ("done", "failed", "cancelled", "paused")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AddView:
    """How far a model is.

    Attributes:
        stage: What is going on; `done`, `failed`, `cancelled` and `paused` are the last.
        done_bytes: Bytes of this stage that are done, of `total_bytes`; 0 of 0 is unknown.
        model_id: Id of the model, once it is known.
        error: Why it failed.
        files: The files that come from a hub, one by one.
        bytes_per_s: How fast bytes come over the network; 0 where none do, or not yet known.
        seconds_left: Until all bytes have come, or None.
    """

    stage: Stage
    done_bytes: int = 0
    total_bytes: int = 0
    model_id: str = ""
    error: Exception | None = None
    files: tuple[FileProgress, ...] = ()
    bytes_per_s: float = 0.0
    seconds_left: float | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after this."""
        return self.stage in _LAST


class AddJob:
    """One addition; all methods may be called from any thread.

    Args:
        work: Adds the model and returns its id.
        model_id: The id, where it is known before.
        discard: Deletes what came; called on the job's thread after `cancel`.
    """

    def __init__(
        self,
        work: Callable[[Task], str],
        model_id: str = "",
        *,
        discard: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = work
        self._discard = discard
        self._discards = threading.Event()
        self._task = Task(self._report, self._report_files)
        self._pace = Pace()
        # Replaced as a whole, by the job's thread alone, so that a reader needs no lock.
        self._view = AddView("space", model_id=model_id)
        self._thread = threading.Thread(target=self._run, name="add-model")

    def start(self) -> None:
        """Begin; called once."""
        self._thread.start()

    def view(self) -> AddView:
        """Return how far it is now. Never blocks."""
        return self._view

    def pause(self) -> None:
        """Ask for the end; what has been fetched is kept, and adding the model again goes on."""
        self._task.stop()

    def cancel(self) -> None:
        """Ask for the end; what has been fetched is deleted."""
        self._discards.set()
        self._task.stop()

    def wait(self, timeout_s: float | None = None) -> AddView:
        """Wait for the end, or for `timeout_s`, and return the view."""
        self._thread.join(timeout_s)
        return self._view

    def name(self, model_id: str) -> None:
        """Say what the model is called, once that is known; for the work itself."""
        self._view = replace(self._view, model_id=model_id)

    def _run(self) -> None:
        try:
            model_id = self._work(self._task)
        except Cancelled:
            self._end_early()
        except (AppError, InferenceError) as error:
            self._view = replace(self._view, stage="failed", error=error)
        except OSError as error:
            self._view = replace(self._view, stage="failed", error=write_failed(error))
        except Exception as error:  # noqa: BLE001 - a mistake of ours must end the job where it is seen
            _LOG.error("adding a model failed: %s", type(error).__name__)
            self._view = replace(self._view, stage="failed", error=error)
        else:
            self._view = AddView("done", model_id=model_id)

    def _end_early(self) -> None:
        if not self._discards.is_set():
            self._view = replace(self._view, stage="paused")
            return
        try:
            self._discard()
        except (AppError, OSError) as error:
            self._view = replace(self._view, stage="failed", error=error)
        else:
            self._view = replace(self._view, stage="cancelled")

    def _report(self, stage: task.Stage, done_bytes: int, total_bytes: int) -> None:
        is_fetching = stage == "fetching"
        if is_fetching:
            self._pace.note(done_bytes)
        self._view = replace(
            self._view,
            stage=stage,
            done_bytes=done_bytes,
            total_bytes=total_bytes,
            bytes_per_s=self._pace.bytes_per_s if is_fetching else 0.0,
            seconds_left=self._pace.seconds_left(total_bytes - done_bytes) if is_fetching else None,
        )

    def _report_files(self, progress: FetchProgress) -> None:
        self._view = replace(self._view, files=progress.files)
        self._report("fetching", progress.done_bytes, progress.total_bytes)
