"""Documents, read in a walled process and summarized, for whoever shows them."""

import threading
from collections.abc import Callable
from pathlib import Path

from app.documents.document import ReadDocument
from app.documents.reader import read_document
from app.documents.summarizer import Summarizer
from app.documents.summary import Summary, SummaryView
from inference.child import Child


class SnugDocuments:
    """Reads and summarizes; every method blocks and belongs on a thread of its own.

    Args:
        launch: Starts a document process.
    """

    def __init__(self, launch: Callable[[], Child], summarizer: Summarizer) -> None:
        self._launch = launch
        self._summarizer = summarizer

    def read(
        self, path: Path, *, on_progress: Callable[[int, int], None], cancelled: threading.Event
    ) -> ReadDocument:
        """Read a file; raises `DocumentError`, or `Cancelled` once `cancelled` is set."""
        return read_document(
            path, launch=self._launch, on_progress=on_progress, cancelled=cancelled
        )

    def summarize(
        self,
        document: ReadDocument,
        *,
        on_update: Callable[[SummaryView], None],
        cancelled: threading.Event,
    ) -> Summary:
        """Summarize a document; raises as `Summarizer.run` says."""
        return self._summarizer.run(document, on_update=on_update, cancelled=cancelled)
