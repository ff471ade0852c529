"""Running summaries, written while nobody waits.

One at a time, on the batch lane and in a session of its own, so that a person's turn goes before it
and finds its own cache untouched. It needs a model that is loaded and loads none. What goes wrong
is no error: older turns then leave without a summary, and it is tried again after the next answer.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from app.chat.archive import Archive
from app.chat.briefing import Briefing
from app.chat.condensing_plan import Plan, bounded, plan, up_to_a_sentence
from app.chat.values import RunningSummary
from app.errors import AppError
from app.ports import Handle, TextGenerator
from inference.errors import InferenceError
from inference.types import Event, Failed, Finished, Sampling, TextDelta

# A model that thinks first needs room for that beside the summary.
_THOUGHT_TOKENS = 2048


@dataclass(slots=True)
class _Writing:
    conversation_id: str
    plan: Plan
    parts: list[str] = field(default_factory=list)
    handle: Handle | None = None

    @property
    def session_id(self) -> str:
        return f"{self.conversation_id}/running-summary"


class Condensing:
    """Keeps running summaries up to date; every method belongs to the store's thread.

    Args:
        archive: The open archive; raises a `StoreError` where it cannot be opened.
        post: Runs work on the store's thread.
        on_over: Called with a conversation whose summary was written, or was not.
    """

    def __init__(
        self,
        archive: Callable[[], Archive],
        post: Callable[[Callable[[], None]], object],
        *,
        generator: TextGenerator,
        briefing: Briefing,
        on_over: Callable[[str], None],
    ) -> None:
        self._archive = archive
        self._post = post
        self._generator = generator
        self._briefing = briefing
        self._on_over = on_over
        self._writing: _Writing | None = None
        self._waiting: dict[str, None] = {}
        self._thinkers: set[str] = set()
        self._is_closed = False

    def consider(self, conversation_id: str) -> None:
        """Write what a conversation needs, now or once the one that is being written is kept."""
        self._waiting[conversation_id] = None
        self._go_on()

    def stop(self, conversation_id: str) -> None:
        """Write nothing for a conversation any more until it is considered again."""
        self._waiting.pop(conversation_id, None)
        if self._writing is not None and self._writing.conversation_id == conversation_id:
            self._cancel()

    def close(self) -> None:
        """Write nothing any more."""
        self._is_closed = True
        self._waiting.clear()
        self._cancel()

    def _cancel(self) -> None:
        if self._writing is not None and self._writing.handle is not None:
            self._writing.handle.cancel()

    def _go_on(self) -> None:
        while self._waiting and self._writing is None and not self._is_closed:
            conversation_id = next(iter(self._waiting))
            del self._waiting[conversation_id]
            # Nobody waits for this, and the next answer shows what is wrong.
            with suppress(AppError, InferenceError):
                self._begin(conversation_id)

    def _begin(self, conversation_id: str) -> None:
        state = self._archive().state(conversation_id)
        is_ready = self._generator.device is not None and self._generator.context_tokens > 0
        if state.settings.overflow != "summarize" or not is_ready:
            return
        history = self._archive().messages(conversation_id)
        found = plan(
            self._briefing.look(history, state),
            history,
            limit_tokens=self._generator.context_tokens,
            budget_tokens=self._briefing.budget_tokens(state.settings),
            count=self._generator.count_tokens,
        )
        if found is None:
            return
        writing = self._writing = _Writing(conversation_id, found)

        def sink(event: Event) -> None:
            match event:
                case TextDelta(channel="answer"):
                    writing.parts.append(event.text)
                case Finished() | Failed():
                    self._post(lambda: self._end(writing, event))

        writing.handle = self._generator.submit(
            found.messages,
            session_id=writing.session_id,
            sampling=self._sampling(found.most_tokens),
            sink=sink,
            lane="batch",
        )

    def _sampling(self, most_tokens: int) -> Sampling:
        is_thinker = self._generator.model_id in self._thinkers
        thought_tokens = _THOUGHT_TOKENS if is_thinker else 0
        return Sampling(temperature=0.0, max_new_tokens=most_tokens + thought_tokens)

    def _end(self, writing: _Writing, event: Finished | Failed) -> None:
        self._writing = None
        self._generator.drop_session(writing.session_id)
        if isinstance(event, Finished):
            if event.thought_tokens:
                self._thinkers.add(self._generator.model_id)
            with suppress(AppError, InferenceError):  # as in `_go_on`
                self._keep(writing, event)
        self._on_over(writing.conversation_id)
        self._go_on()

    def _keep(self, writing: _Writing, event: Finished) -> None:
        count = self._generator.count_tokens
        text = "".join(writing.parts)
        if event.reason == "length":
            text = up_to_a_sentence(text)
        text = bounded(text, writing.plan.most_tokens, count)
        messages = self._archive().messages(writing.conversation_id)
        covers = writing.plan.covers
        is_same = tuple(message.id for message in messages[: len(covers)]) == covers
        if event.reason == "cancelled" or not text or not is_same:
            return
        notes = "\n".join(part for part in (writing.plan.before, text) if part)
        self._archive().keep_summary(RunningSummary(writing.plan.before_id, notes))
        self._waiting[writing.conversation_id] = None
