"""From a question to an answer that grows: one turn of a conversation after the other.

Everything here runs on the store's thread, except the sinks that the generator and the summarizer
call on theirs; those touch the turn and hand the rest over.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from app.chat.archive import Archive
from app.chat.briefing import Brief, Briefing
from app.chat.consulting import Consulting, consulted, goes_to_documents
from app.chat.lanes import Lanes
from app.chat.outcome import Outcome, failed, outcome_of
from app.chat.recorder import Recorder
from app.chat.summarizing import Summarizing
from app.chat.titles import title_from
from app.chat.turn import Turn
from app.chat.values import Message
from app.documents.values import Citation
from app.errors import AppError
from app.models.installed import TaskName
from app.ports import TextGenerator
from inference.errors import ContextOverflow, EmptyPrompt, InferenceError
from inference.types import Event, Failed, Finished, PrefillProgress, TextDelta

Post = Callable[[Callable[[], None]], object]


class Answering:
    """Takes turns, begins each when its conversation is free, and ends them through the recorder.

    Args:
        archive: The open archive; raises a `StoreError` where it cannot be opened.
        post: Runs work on the store's thread.
        use_for: Sees that the model of a task is used; may read the disk.
    """

    def __init__(
        self,
        archive: Callable[[], Archive],
        post: Post,
        *,
        lanes: Lanes,
        recorder: Recorder,
        briefing: Briefing,
        generator: TextGenerator,
        summarizing: Summarizing,
        consulting: Consulting,
        use_for: Callable[[TaskName], None],
    ) -> None:
        self._archive = archive
        self._post = post
        self._lanes = lanes
        self._recorder = recorder
        self._briefing = briefing
        self._generator = generator
        self._summarizing = summarizing
        self._consulting = consulting
        self._use_for = use_for
        self._taken: dict[str, Message] = {}

    def take(self, turn: Turn) -> None:
        """Keep what was asked, and begin the answer unless another is under way there."""
        with self._ending_on_error(turn):
            self._taken[turn.id] = self._keep(turn)
            turn.keep()
        self.advance(turn.conversation_id)

    def advance(self, conversation_id: str) -> None:
        """Begin the next turn of a conversation whose last one has ended."""
        turn = self._lanes.head(conversation_id)
        if turn is None or turn.id not in self._taken:
            return
        answer = self._taken.pop(turn.id)
        if not turn.goes_on:
            self._use_for(self._task_of(turn))
        self._recorder.start(turn, answer, model_id=self._generator.model_id)
        with self._ending_on_error(turn):
            self._begin(turn)

    def _task_of(self, turn: Turn) -> TaskName:
        history = self._archive().before(turn.answer_id)
        if history[-1].kind == "summary":
            return "summary"
        has_documents = bool(history[-1].attachments) or goes_to_documents(history)
        return "documents" if has_documents else "chat"

    def _keep(self, turn: Turn) -> Message:
        """Keep the question and the place of its answer, and return the answer so far."""
        archive = self._archive()
        question = turn.question
        if question is None:
            continued = archive.answer_on if turn.goes_on else archive.answer_again
            return continued(turn.answer)
        if not question.text.strip() and not question.attachments:
            raise EmptyPrompt
        title = title_from(question.text) or question.attachments[0].name
        archive.ask(question, turn.answer, title=title, model_id=self._generator.model_id)
        return turn.answer

    def _begin(self, turn: Turn) -> None:
        history = self._archive().before(turn.answer_id)
        if turn.is_cancelled:
            self._recorder.end(turn, Outcome("cancelled"))
        elif history[-1].kind == "summary":
            self._summarizing.begin(turn, history[-1])
        elif turn.goes_on:
            self._generate(turn, (*history, turn.answer))
        elif goes_to_documents(history):
            self._consulting.begin(turn, history)
        elif not self._generator.model_id and history[-1].attachments:
            # The documents' own words need no model.
            self._consulting.begin(turn, history)
        else:
            self._generate(turn, history)

    def _brief(self, turn: Turn, history: tuple[Message, ...]) -> Brief:
        """Fit the context, and keep and show where the model's view begins."""
        archive = self._archive()
        state = archive.state(turn.conversation_id)
        brief = self._briefing.prepare(history, state, ends_with=history[-1].role)
        if brief.first_seen_id != state.first_seen_id:
            archive.set_first_seen(turn.conversation_id, brief.first_seen_id)
        if brief.summary is not None:
            archive.drop_summaries_before(brief.summary.before_id)
        turn.see_from(brief.first_seen_id, brief.summary.text if brief.summary else "")
        return brief

    def _generate(self, turn: Turn, history: tuple[Message, ...]) -> None:
        try:
            brief = self._brief(turn, history)
        except ContextOverflow:
            if not consulted(history) or turn.goes_on:
                raise
            self._consulting.begin(turn, history)
            return
        turn.move_to("loading" if self._generator.device is None else "waiting")

        def end(event: Finished | Failed) -> None:
            # A load tells the true size of the window, which may be other than was thought.
            is_new_window = self._generator.context_tokens not in (0, brief.limit_tokens)
            if isinstance(event, Failed) and event.code == ContextOverflow.code and is_new_window:
                with self._ending_on_error(turn):
                    self._generate(turn, history)
                return
            outcome = self._outcome(event)
            with self._ending_on_error(turn):
                outcome = replace(outcome, citations=self._citations(turn, history))
            self._recorder.end(turn, outcome)

        def sink(event: Event) -> None:
            match event:
                case TextDelta(channel="thought"):
                    turn.think(event.text)
                case TextDelta():
                    turn.grow(event.text)
                case PrefillProgress():
                    turn.move_to("prefill", event.done_tokens, event.total_tokens)
                case Finished() | Failed():
                    self._post(lambda: end(event))

        handle = self._generator.submit(
            brief.messages,
            session_id=turn.conversation_id,
            sampling=brief.sampling,
            sink=sink,
            drafts=brief.may_quote,
            continues=turn.goes_on,
        )
        turn.set_stop(handle.cancel)

    def _outcome(self, event: Finished | Failed) -> Outcome:
        generator = self._generator
        return outcome_of(event, model_id=generator.model_id, device=generator.device)

    def _citations(self, turn: Turn, history: Sequence[Message]) -> tuple[Citation, ...]:
        """Return what an answer rests on of the documents that the model read whole."""
        carried = {
            each.document_id: each
            for message in history
            if message.kind == "chat"
            for each in message.attachments
        }
        if not carried:
            return ()
        # Not before the first paint: hundreds of patterns would be compiled with it.
        from app.documents.citing import cite  # noqa: PLC0415
        from app.documents.retrieval import IndexedDocument  # noqa: PLC0415

        archive = self._archive()
        documents = [IndexedDocument(one, archive.document(one)) for one in carried]
        return cite(turn.view().text, documents)

    @contextmanager
    def _ending_on_error(self, turn: Turn) -> Iterator[None]:
        """End the turn whatever goes wrong inside; what is our own mistake is raised on."""
        try:
            yield
        except (AppError, InferenceError) as error:
            self._recorder.end(turn, failed(error))
        except Exception as error:
            self._recorder.end(turn, _internal(type(error).__name__))
            raise


def _internal(kind: str) -> Outcome:
    return Outcome("failed", error_code="internal", error_facts={"kind": kind})
