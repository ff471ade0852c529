"""What the model is given for one answer: the messages that fit, and how long it may answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.chat.answer_settings import effective_sampling
from app.chat.context import Fitted, fit
from app.chat.history import Fence
from app.chat.outlook import Outlook, look
from app.chat.values import AnswerSettings, ContextUse, ConversationState, Message, RunningSummary
from app.ports import TextGenerator
from inference.errors import ContextOverflow, EmptyPrompt
from inference.types import ChatMessage, Role, Sampling

# However long an answer may be, it is promised a quarter of the window and not more.
_WINDOWS_PER_ANSWER = 4
_QUOTE_OR_CODE = re.compile(r"^\s*(?:```|>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Brief:
    """What goes to the generator.

    Attributes:
        first_seen_id: The oldest message the model sees word by word, or empty while it sees all.
        limit_tokens: The window it was fitted to; 0 where its size was not known yet.
        may_quote: Whether there is a document, a quote or code that the answer may repeat.
        summary: What it is told in place of the messages before `first_seen_id`.
    """

    messages: tuple[ChatMessage, ...]
    sampling: Sampling
    first_seen_id: str
    limit_tokens: int
    may_quote: bool
    summary: RunningSummary | None = None


class Briefing:
    """Makes briefs for the model in use; belongs to the store's thread.

    Args:
        fence: The text of an attached document, marked as data.
    """

    def __init__(self, generator: TextGenerator, fence: Fence) -> None:
        self._generator = generator
        self._fence = fence

    def look(self, history: Sequence[Message], state: ConversationState) -> Outlook:
        """Return what could be told of `history`.

        Documents that were asked by passages are told whole with the next wish, if they fit at all.
        """
        outlook = look(history, state, self._fence, with_asked=True)
        if not any(message.kind == "ask" and message.attachments for message in history):
            return outlook
        budget_tokens = self.budget_tokens(state.settings)
        count = self._generator.count_tokens
        fits = not budget_tokens or all(
            count((entry.told,)) <= budget_tokens for entry in outlook.told
        )
        return outlook if fits else look(history, state, self._fence)

    def budget_tokens(self, settings: AnswerSettings) -> int:
        """Return how long a prompt may be, so that the answer has room; 0 without a model."""
        limit_tokens = self._generator.context_tokens
        most_tokens = max(1, limit_tokens // _WINDOWS_PER_ANSWER)
        answer_tokens = self._sampling_for(settings).max_new_tokens
        return max(0, limit_tokens - min(answer_tokens, most_tokens))

    def prepare(
        self, history: Sequence[Message], state: ConversationState, *, ends_with: Role = "user"
    ) -> Brief:
        """Return the brief for what `history` ends with: a question, or an answer that goes on.

        Raises:
            EmptyPrompt: It ends with something else.
            ContextFull: Older turns would leave, and the person wants to be asked.
            ContextOverflow: The question alone does not fit.
        """
        outlook = self.look(history, state)
        if not outlook.told or outlook.told[-1].told.role != ends_with:
            raise EmptyPrompt
        sampling = self._sampling_for(state.settings)
        messages, first = outlook.prompt(outlook.first), outlook.first
        limit_tokens = self._generator.context_tokens
        if limit_tokens:
            fitted, outlook = self._fit(outlook, state.settings)
            messages, first = fitted.messages, fitted.first_seen
            room_tokens = limit_tokens - fitted.used_tokens
            sampling = replace(sampling, max_new_tokens=min(sampling.max_new_tokens, room_tokens))
        return Brief(
            messages,
            sampling,
            outlook.id_at(first),
            limit_tokens=limit_tokens,
            may_quote=_may_quote(history),
            summary=outlook.summary_at(first),
        )

    def ahead(
        self, history: Sequence[Message], state: ConversationState
    ) -> tuple[ChatMessage, ...]:
        """Return what is certain of the next prompt, if the draft that `history` ends with is sent.

        Raises:
            ContextFull: As `prepare` does.
            ContextOverflow: As `prepare` does.
        """
        outlook = self.look(history, state)
        if outlook.told and not outlook.told[-1].told.content:
            outlook = replace(outlook, told=outlook.told[:-1])
        if not outlook.told or not self._generator.context_tokens:
            return outlook.prompt(outlook.first)
        return self._fit(outlook, state.settings)[0].messages

    def measure(self, history: Sequence[Message], state: ConversationState) -> ContextUse:
        """Return how much of the window `history` takes from its cut on; the draft ends it."""
        limit_tokens = self._generator.context_tokens
        if not limit_tokens:
            return ContextUse(0, 0)
        outlook = self.look(history, state)
        count, budget_tokens = self._generator.count_tokens, self.budget_tokens(state.settings)
        used_tokens = count(outlook.prompt(outlook.first))
        if used_tokens <= budget_tokens:
            return ContextUse(used_tokens, limit_tokens)
        draft = replace(outlook, told=outlook.told[-1:], covered=())
        over_tokens = max(0, count(draft.prompt(0)) - budget_tokens)
        if over_tokens and history[-1].attachments:
            bare = replace(history[-1], attachments=())
            return replace(self.measure((*history[:-1], bare), state), by_passages=True)
        has_older = outlook.first < len(outlook.told) - 1
        return ContextUse(
            used_tokens, limit_tokens, over_tokens, is_cut_next=has_older and not over_tokens
        )

    def _fit(self, outlook: Outlook, settings: AnswerSettings) -> tuple[Fitted, Outlook]:
        """Fit, without the running summary where that is what does not fit."""
        try:
            return self._fit_as_it_is(outlook, settings), outlook
        except ContextOverflow:
            if not outlook.covered:
                raise
        bare = replace(outlook, covered=())
        return self._fit_as_it_is(bare, settings), bare

    def _fit_as_it_is(self, outlook: Outlook, settings: AnswerSettings) -> Fitted:
        return fit(
            outlook,
            budget_tokens=self.budget_tokens(settings),
            count=self._generator.count_tokens,
            may_cut=settings.overflow != "ask",
        )

    def _sampling_for(self, settings: AnswerSettings) -> Sampling:
        return effective_sampling(self._generator.default_sampling, settings)


def _may_quote(history: Sequence[Message]) -> bool:
    has_document = any(message.attachments for message in history)
    return has_document or _QUOTE_OR_CODE.search(history[-1].text) is not None
