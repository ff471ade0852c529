"""Summaries as answers: of one document, or of several with a joint one above them."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.chat.archive import Archive
from app.chat.document_work import DocumentWork
from app.chat.outcome import Outcome, failed, outcome_of_summary
from app.chat.recorder import Recorder
from app.chat.side_work import SideWork
from app.chat.turn import Turn
from app.chat.values import Attachment, Message
from app.documents.document import ReadDocument
from app.documents.options import SummaryOptions
from app.documents.rendering import markdown, quoted
from app.documents.summary import Summary, SummaryView
from app.documents.summary_sources import sources_of
from app.documents.values import Citation
from app.errors import AppError
from app.ports import TextGenerator
from inference.errors import InferenceError

if TYPE_CHECKING:
    from app.documents.summarizer import Summaries

Post = Callable[[Callable[[], None]], object]


class Summarizing:
    """Begins summaries; its methods belong to the store's thread.

    What a person wished of a summary is remembered while the program runs, so that another answer
    to the same question is made in the same way.
    """

    def __init__(
        self,
        archive: Callable[[], Archive],
        post: Post,
        *,
        recorder: Recorder,
        documents: DocumentWork,
        generator: TextGenerator,
        side_work: SideWork,
    ) -> None:
        self._archive = archive
        self._post = post
        self._recorder = recorder
        self._documents = documents
        self._generator = generator
        self._side_work = side_work
        self._options: dict[str, SummaryOptions] = {}

    def wish(self, question_id: str, options: SummaryOptions) -> None:
        """Remember how the summaries of a question shall be; any thread."""
        self._options[question_id] = options

    def begin(self, turn: Turn, question: Message) -> None:
        """Summarize what a question carries on a thread of its own."""
        archive = self._archive()
        documents = [archive.document(each.document_id) for each in question.attachments]
        options = self._options.get(question.id, SummaryOptions())
        cancelled = threading.Event()
        turn.set_stop(cancelled.set)
        turn.move_to("reading", 0, documents[0].report.total)
        self._side_work.start(
            "summary",
            lambda: self._run(turn, question.attachments, documents, options, cancelled),
            stop=cancelled.set,
        )

    def _run(
        self,
        turn: Turn,
        attachments: Sequence[Attachment],
        documents: Sequence[ReadDocument],
        options: SummaryOptions,
        cancelled: threading.Event,
    ) -> None:
        shown: dict[int, Summary] = {}

        def show(index: int, view: SummaryView) -> None:
            if view.summary is not None:
                shown[index] = view.summary
            text, _ = compose(tuple(shown.values()), None, attachments)
            turn.show(text, view.stage, done=view.done, total=view.total)

        outcome = Outcome("failed", error_code="internal", error_facts={"kind": "summary"})
        try:
            summaries = self._documents.summarize(
                documents, options=options, on_update=show, cancelled=cancelled
            )
            outcome = self._finished(turn, summaries, attachments)
        except (AppError, InferenceError) as error:
            outcome = failed(error)
        finally:
            self._post(lambda: self._recorder.end(turn, outcome))

    def _finished(
        self, turn: Turn, summaries: "Summaries", attachments: Sequence[Attachment]
    ) -> Outcome:
        text, citations = compose(summaries.each, summaries.joint, attachments)
        turn.show(text, "writing")
        return outcome_of_summary(summaries.each, citations, self._generator.device)


def compose(
    each: Sequence[Summary], joint: Summary | None, attachments: Sequence[Attachment]
) -> tuple[str, tuple[Citation, ...]]:
    """Return summaries as one Markdown text, the joint one first, and where its places lead."""
    ids = {attachment.name: attachment.document_id for attachment in attachments}
    text = ""
    citations: list[Citation] = []
    for summary in (*([joint] if joint is not None else []), *each):
        if len(attachments) > 1 and summary is not joint:
            text += f"### {quoted(summary.name)}\n\n"
        start = len(text)
        text += markdown(summary)
        number = len(citations) + 1
        citations += sources_of(summary, text, ids, start=start, first_number=number)
        text += "\n\n"
    return text.rstrip("\n"), tuple(citations)
