"""What a conversation needs done with documents."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.documents.document import ReadDocument
from app.documents.summary import Summary, SummaryView

if TYPE_CHECKING:
    from app.documents.intake import IntakeProgress


class DocumentWork(Protocol):
    """Reads and summarizes documents; every method blocks and is called on a thread of its own."""

    def read(
        self,
        path: Path,
        *,
        on_progress: Callable[["IntakeProgress"], None],
        cancelled: threading.Event,
        password: str | None = None,
    ) -> ReadDocument:
        """Read a file; raises `DocumentError`, or `Cancelled` once `cancelled` is set."""
        ...

    def summarize(
        self,
        document: ReadDocument,
        *,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
    ) -> Summary:
        """Summarize a document; raises `DocumentError` or `InferenceError`.

        Once `cancelled` is set it returns what it has, or raises `Cancelled` where it has nothing.
        """
        ...
