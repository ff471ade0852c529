"""Documents for conversations: read in walled processes, summarized by the model in use.

What reads and writes is imported with the first document: hundreds of patterns that the window does
not need yet would be compiled before its first paint.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.ports import RecognizedPages, TextGenerator
from inference.child import Child

if TYPE_CHECKING:
    from app.documents.document import ReadDocument
    from app.documents.intake import IntakeProgress
    from app.documents.options import SummaryOptions
    from app.documents.summarizer import Summaries
    from app.documents.summary import SummaryView


class WalledDocuments:
    """The `DocumentWork` of the program; every method blocks.

    Args:
        generator: Writes, where it is able.
        abilities_path: Where the results of the models' self-tests are kept.
        identify: Turns a model's id into the SHA-256 of its file.
        launch: Starts a document process.
        launch_ocr: Starts a process that recognizes text; without it no picture is read.

    Attributes:
        recognized: Keeps what was recognized, so that no page is recognized twice.
    """

    def __init__(
        self,
        generator: TextGenerator,
        *,
        abilities_path: Path,
        identify: Callable[[str], str],
        launch: Callable[[], Child],
        launch_ocr: Callable[[], Child] | None = None,
    ) -> None:
        self._generator = generator
        self._abilities_path = abilities_path
        self._identify = identify
        self._launch = launch
        self._launch_ocr = launch_ocr
        self.recognized: RecognizedPages | None = None

    def read(
        self,
        path: Path,
        *,
        on_progress: "Callable[[IntakeProgress], None]",
        cancelled: threading.Event,
        password: str | None = None,
    ) -> "ReadDocument":
        """Read a file; see `DocumentWork`."""
        from app.documents.intake import Intake  # noqa: PLC0415 - see the module

        intake = Intake(self._launch, self._launch_ocr, self.recognized)
        return intake.read(path, password=password, on_progress=on_progress, cancelled=cancelled)

    def summarize(
        self,
        documents: "Sequence[ReadDocument]",
        *,
        options: "SummaryOptions",
        on_update: "Callable[[int, SummaryView], None]",
        cancelled: threading.Event,
    ) -> "Summaries":
        """Summarize documents; see `DocumentWork`."""
        from app.documents.ability import AbilityBook  # noqa: PLC0415 - see the module
        from app.documents.summarizer import Summarizer  # noqa: PLC0415

        abilities = AbilityBook(self._abilities_path, self._identify)
        summarizer = Summarizer(self._generator, abilities, launch=self._launch)
        return summarizer.run_all(
            documents, options=options, on_update=on_update, cancelled=cancelled
        )
