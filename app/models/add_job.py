"""A model that is being added: its own thread, a view for whoever looks, and a way to stop it."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from app.errors import AppError
from app.models import task
from app.models.room import write_failed
from app.models.task import Task
from inference.errors import Cancelled, InferenceError

Stage = Literal[task.Stage, "done", "failed", "cancelled"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AddView:
    """How far a model is.

    Attributes:
        stage: What is going on; `done`, `failed` and `cancelled` are the last.
        done_bytes: Bytes of this stage that are done, of `total_bytes`; 0 of 0 is unknown.
        model_id: Id of the model, once it is known.
        error: Why it failed.
    """

    stage: Stage
    done_bytes: int = 0
    total_bytes: int = 0
    model_id: str = ""
    error: Exception | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after this."""
        return self.stage in ("done", "failed", "cancelled")


class AddJob:
    """One addition; all methods may be called from any thread."""

    def __init__(self, work: Callable[[Task], str], model_id: str = "") -> None:
        self._work = work
        self._task = Task(self._report)
        # Replaced as a whole, by the job's thread alone, so that a reader needs no lock.
        self._view = AddView("space", model_id=model_id)
        self._thread = threading.Thread(target=self._run, name="add-model")

    def start(self) -> None:
        """Begin; called once."""
        self._thread.start()

    def view(self) -> AddView:
        """Return how far it is now. Never blocks."""
        return self._view

    def cancel(self) -> None:
        """Ask for the end; what has been fetched is kept, and adding the model again goes on."""
        self._task.stop()

    def wait(self, timeout_s: float | None = None) -> AddView:
        """Wait for the end, or for `timeout_s`, and return the view."""
        self._thread.join(timeout_s)
        return self._view

    def _run(self) -> None:
        try:
            model_id = self._work(self._task)
        except Cancelled:
            self._view = replace(self._view, stage="cancelled")
        except (AppError, InferenceError) as error:
            self._view = replace(self._view, stage="failed", error=error)
        except OSError as error:
            self._view = replace(self._view, stage="failed", error=write_failed(error))
        except Exception as error:  # noqa: BLE001 - a mistake of ours must end the job where it is seen
            _LOG.error("adding a model failed: %s", type(error).__name__)
            self._view = replace(self._view, stage="failed", error=error)
        else:
            self._view = AddView("done", model_id=model_id)

    def _report(self, stage: task.Stage, done_bytes: int, total_bytes: int) -> None:
        self._view = replace(
            self._view, stage=stage, done_bytes=done_bytes, total_bytes=total_bytes
        )
