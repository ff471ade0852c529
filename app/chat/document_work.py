"""What a conversation needs done with documents, and the words it is said in."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.chat.values import AnswerMetrics, Stage
from app.documents.document import ReadDocument


@dataclass(frozen=True, slots=True)
class SummaryStep:
    """A summary as far as it has come.

    Attributes:
        text: The whole of it as Markdown; later steps may replace any part.
        done: Of `total`, in whatever the stage counts; a total of 0 is unknown.
        metrics: What the model did for it, in the last step.
    """

    text: str
    stage: Stage
    done: int = 0
    total: int = 0
    metrics: AnswerMetrics | None = None


class DocumentWork(Protocol):
    """Reads and summarizes documents; every method blocks and belongs on a thread of its own."""

    def read(
        self, path: Path, *, on_progress: Callable[[int, int], None], cancelled: threading.Event
    ) -> ReadDocument:
        """Read a file; raises `DocumentError`, or `Cancelled` once `cancelled` is set."""
        ...

    def fence(self, document: ReadDocument) -> str:
        """Return a document's text marked as data, for the model."""
        ...

    def summarize(
        self,
        document: ReadDocument,
        *,
        on_step: Callable[[SummaryStep], None],
        cancelled: threading.Event,
    ) -> SummaryStep:
        """Summarize a document; raises `InferenceError`, or `Cancelled` once `cancelled` is set."""
        ...
