"""What a conversation needs done with documents."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.documents.document import ReadDocument
from app.documents.options import SummaryOptions
from app.documents.summary import SummaryView

if TYPE_CHECKING:
    from app.documents.asking import AskStage, DocumentAnswer
    from app.documents.intake import IntakeProgress
    from app.documents.summarizer import Summaries


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
        documents: Sequence[ReadDocument],
        *,
        options: SummaryOptions,
        on_update: Callable[[int, SummaryView], None],
        cancelled: threading.Event,
    ) -> "Summaries":
        """Summarize each of `documents`, and several jointly; `on_update` gets the index as well.

        Raises `DocumentError` or `InferenceError`.

        Once `cancelled` is set it returns what it has, or raises `Cancelled` where it has nothing.
        """
        ...

    def ask(
        self,
        documents: Sequence[tuple[str, ReadDocument]],
        question: str,
        *,
        on_stage: Callable[["AskStage", int, int], None],
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        """Answer a question from the passages of documents, each under its id.

        Raises `Cancelled` once `cancelled` is set, or `InferenceError`.
        """
        ...

    def ask_library(
        self,
        question: str,
        *,
        on_stage: Callable[["AskStage", int, int], None],
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        """Answer a question from the library; raises what `ask` does, and `StoreError`."""
        ...
