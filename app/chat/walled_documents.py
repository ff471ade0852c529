"""Documents for conversations: read in walled processes, summarized by the model in use.

What reads and writes is imported with the first document: hundreds of patterns that the window does
not need yet would be compiled before its first paint.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.ports import RecognizedPages, SummaryProgress, TextGenerator
from inference.child import Child

if TYPE_CHECKING:
    from app.documents.asking import Asker, AskStage, DocumentAnswer
    from app.documents.document import ReadDocument
    from app.documents.intake import IntakeProgress
    from app.documents.options import SummaryOptions
    from app.documents.retrieval import DocumentIndex, Embed, Retrieved
    from app.documents.summarizer import Summaries
    from app.documents.summary import SummaryView

_INDEXES_KEPT = 4


class WalledDocuments:
    """The `DocumentWork` of the program; every method blocks.

    Args:
        generator: Writes, where it is able.
        abilities_path: Where the results of the models' self-tests are kept.
        identify: Turns a model's id into the SHA-256 of its file.
        launch: Starts a document process.
        launch_ocr: Starts a process that recognizes text; without it no picture is read.
        find_embed: Gives what turns text into vectors, or None where no such model is installed.

    Attributes:
        recognized: Keeps what was recognized, so that no page is recognized twice.
        progress: Keeps what was written of a summary, so that it is gone on with after a crash.
        search_library: Finds passages in the indexed folders; None where there is no library.
    """

    def __init__(
        self,
        generator: TextGenerator,
        *,
        abilities_path: Path,
        identify: Callable[[str], str],
        launch: Callable[[], Child],
        launch_ocr: Callable[[], Child] | None = None,
        find_embed: "Callable[[], Embed | None]" = lambda: None,
    ) -> None:
        self._generator = generator
        self._abilities_path = abilities_path
        self._identify = identify
        self._launch = launch
        self._launch_ocr = launch_ocr
        self._find_embed = find_embed
        self._indexes: OrderedDict[tuple[str, ...], DocumentIndex] = OrderedDict()
        self._indexing = threading.Lock()
        self.recognized: RecognizedPages | None = None
        self.progress: SummaryProgress | None = None
        self.search_library: Callable[[str], Retrieved] | None = None

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
        summarizer = Summarizer(
            self._generator, abilities, launch=self._launch, progress=self.progress
        )
        return summarizer.run_all(
            documents, options=options, on_update=on_update, cancelled=cancelled
        )

    def ask(
        self,
        documents: "Sequence[tuple[str, ReadDocument]]",
        question: str,
        *,
        on_stage: "Callable[[AskStage, int, int], None]",
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        """Answer a question from documents; see `DocumentWork`."""
        with self._indexing:
            retrieved = self._index_of(documents).retrieve(question)
        return self._answer(question, retrieved, on_stage, cancelled)

    def ask_library(
        self,
        question: str,
        *,
        on_stage: "Callable[[AskStage, int, int], None]",
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        """Answer a question from the library; see `DocumentWork`."""
        from app.documents.asking import DocumentAnswer  # noqa: PLC0415 - see the module

        if self.search_library is None:
            return DocumentAnswer("not_in_documents", "", (), "ask_no_library")
        return self._answer(question, self.search_library(question), on_stage, cancelled)

    def _answer(
        self,
        question: str,
        retrieved: "Retrieved",
        on_stage: "Callable[[AskStage, int, int], None]",
        cancelled: threading.Event,
    ) -> "DocumentAnswer":
        return self._asker().ask(question, retrieved, cancelled=cancelled, on_stage=on_stage)

    def _asker(self) -> "Asker":
        from app.documents.ability import AbilityBook  # noqa: PLC0415 - see the module
        from app.documents.asking import Asker  # noqa: PLC0415

        return Asker(self._generator, AbilityBook(self._abilities_path, self._identify))

    def _index_of(self, documents: "Sequence[tuple[str, ReadDocument]]") -> "DocumentIndex":
        """Return the index of documents, which a conversation comes back to."""
        from app.documents.retrieval import DocumentIndex, IndexedDocument  # noqa: PLC0415

        key = tuple(document_id for document_id, _ in documents)
        if key not in self._indexes:
            indexed = [IndexedDocument(one, document) for one, document in documents]
            self._indexes[key] = DocumentIndex(indexed, self._find_embed())
            while len(self._indexes) > _INDEXES_KEPT:
                self._indexes.popitem(last=False)
        self._indexes.move_to_end(key)
        return self._indexes[key]
