"""Documents for conversations: read in walled processes, summarized by the model in use."""

import threading
from collections.abc import Callable
from pathlib import Path

from app.documents.ability import AbilityBook
from app.documents.document import ReadDocument
from app.documents.reader import read_document
from app.documents.summarizer import Summarizer
from app.documents.summary import Summary, SummaryView
from app.ports import TextGenerator
from inference.child import Child


class WalledDocuments:
    """The `DocumentWork` of the program; every method blocks."""

    def __init__(
        self, generator: TextGenerator, abilities: AbilityBook, *, launch: Callable[[], Child]
    ) -> None:
        """Write with `generator`; `launch` starts a document process."""
        self._launch = launch
        self._summarizer = Summarizer(generator, abilities, launch=launch)

    def read(
        self, path: Path, *, on_progress: Callable[[int, int], None], cancelled: threading.Event
    ) -> ReadDocument:
        """Read a file; see `DocumentWork`."""
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
        """Summarize a document; see `DocumentWork`."""
        return self._summarizer.run(document, on_update=on_update, cancelled=cancelled)
