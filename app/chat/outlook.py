"""A conversation as the model could be told it: all of it, and what stands for the part it cannot.

The running summary is told in front of the first message that is seen, as data and not in the
system prompt: a model wrote it from texts that people and documents brought, and none of them may
speak with the authority of Snug.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.chat import prompts
from app.chat.history import Fence, Told, tell
from app.chat.values import ConversationState, Message, RunningSummary
from app.documents.prompting import bar
from inference.types import ChatMessage

Count = Callable[[tuple[ChatMessage, ...]], int]


@dataclass(frozen=True, slots=True)
class Covered:
    """A running summary, and the index into what is told of the first message it does not cover."""

    index: int
    summary: RunningSummary


@dataclass(frozen=True, slots=True)
class Outlook:
    """What could be told of a conversation.

    Attributes:
        told: All of it, oldest first.
        first: Index into `told` of the oldest message that was still seen the last time.
        covered: The running summaries, the one that covers least first.
    """

    system_prompt: str
    told: tuple[Told, ...]
    first: int
    covered: tuple[Covered, ...] = ()

    def summary_at(self, start: int) -> RunningSummary | None:
        """Return what stands for the messages before `start`, as far as it goes."""
        return next((each.summary for each in reversed(self.covered) if each.index <= start), None)

    def prompt(self, start: int) -> tuple[ChatMessage, ...]:
        """Return what the model is told if it sees the messages from `start` on."""
        messages = [entry.told for entry in self.told[start:]]
        summary = self.summary_at(start)
        if summary is not None and messages:
            first = messages[0]
            content = "\n\n".join(part for part in (recall(summary.text), first.content) if part)
            messages[0] = ChatMessage(first.role, content)
        if self.system_prompt:
            messages.insert(0, ChatMessage("system", self.system_prompt))
        return tuple(messages)

    def id_at(self, start: int) -> str:
        """Return the id of the oldest message seen, or empty where that is the first of all."""
        return self.told[start].message_id if start else ""


def look(
    history: Sequence[Message],
    state: ConversationState,
    fence: Fence,
    *,
    with_asked: bool = False,
) -> Outlook:
    """Return what could be told of `history`; see `tell`."""
    told = tuple(tell(history, fence, with_asked=with_asked))
    place = {message.id: index for index, message in enumerate(history)}
    places = [place[entry.message_id] for entry in told]

    def index_of(message_id: str) -> int:
        """Return the index into `told` of a message, or of what follows it where it is not told."""
        cut = place.get(message_id, 0)
        return next((index for index, at in enumerate(places) if at >= cut), 0)

    covered: tuple[Covered, ...] = ()
    if state.settings.overflow == "summarize":
        found = (Covered(index_of(each.before_id), each) for each in state.summaries)
        covered = tuple(each for each in found if each.index)
    own = state.settings.system_prompt
    system_prompt = prompts.system_prompt() if own is None else own.strip()
    return Outlook(system_prompt, told, index_of(state.first_seen_id), covered)


def recall(summary: str) -> str:
    """Return a running summary as the model is told it: fenced, and named as data."""
    fence = bar(summary)
    return f"{prompts.running_summary_told()}\n{fence}\n{summary}\n{fence}"
