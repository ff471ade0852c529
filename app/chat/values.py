"""What a conversation is made of: values that window, services and store share."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from app.documents.values import Citation, IntakeReport
from inference.errors import Fact
from inference.types import DeviceChoice, Role, Sampling

MessageState = Literal["complete", "streaming", "cancelled", "length", "failed", "interrupted"]
MessageKind = Literal["chat", "summary", "ask", "library"]
Stage = Literal[
    "waiting",
    "loading",
    "prefill",
    "reading",
    "searching",
    "choosing",
    "testing",
    "thinking",
    "writing",
    "translating",
    "done",
]
Overflow = Literal["drop", "summarize", "ask"]


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How answers of one conversation are made; None takes the model's own default.

    Attributes:
        system_prompt: None takes Snug's; empty sends none.
        max_new_tokens: Longest answer.
        overflow: What happens to older turns when the window is full: they leave, the model keeps
            a running summary of them, or the question waits until the person has chosen.
    """

    system_prompt: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    stop: tuple[str, ...] = ()
    overflow: Overflow = "drop"

    def __post_init__(self) -> None:
        """Refuse with a ValueError what `Sampling` refuses."""
        drawn = {each.name: getattr(self, each.name) for each in fields(Sampling)}
        Sampling(**{name: value for name, value in drawn.items() if value is not None})


@dataclass(frozen=True, slots=True)
class RunningSummary:
    """What the model is told instead of the messages before the question `before_id`."""

    before_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ConversationState:
    """What decides, beside its messages, how the next answer of a conversation is made.

    Attributes:
        first_seen_id: The oldest message the model sees word by word, or empty while it sees all.
        summaries: The one that covers least first; the last may still wait to be needed.
    """

    first_seen_id: str = ""
    settings: AnswerSettings = field(default_factory=AnswerSettings)
    summaries: tuple[RunningSummary, ...] = ()

    def summary_for(self, message_ids: Sequence[str]) -> RunningSummary | None:
        """Return the running summary that stands for what is not seen of these messages."""
        if self.settings.overflow != "summarize" or self.first_seen_id not in message_ids:
            return None
        unseen = message_ids[: message_ids.index(self.first_seen_id) + 1]
        told = [summary for summary in self.summaries if summary.before_id in unseen]
        return told[-1] if told else None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One row of the sidebar; times are seconds since 1970, UTC."""

    id: str
    title: str
    created_s: float
    updated_s: float
    model_id: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A document that belongs to a message; its text lies in the store under `document_id`.

    Attributes:
        path: Where its file was, so that its pages can be shown; empty where that is not known.
    """

    document_id: str
    name: str
    size_bytes: int
    report: IntakeReport
    path: str = ""


@dataclass(frozen=True, slots=True)
class AnswerMetrics:
    """How an answer came about, as measured.

    Attributes:
        tokens_per_s: Decoding speed; 0 where fewer than two tokens came.
        prefill_tokens_per_s: Speed of reading what was not cached; 0 where nothing was read.
        drafted_tokens: Tokens drafted by n-grams, of which `accepted_tokens` were right.
    """

    prompt_tokens: int
    cached_tokens: int
    generated_tokens: int
    ttft_s: float
    seconds: float
    tokens_per_s: float
    model_id: str
    device: DeviceChoice | None = None
    prefill_tokens_per_s: float = 0.0
    drafted_tokens: int = 0
    accepted_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        text: Markdown for answers, plain text for questions.
        state: `interrupted` is an answer that was streaming when the program ended.
        kind: `summary` was made by the summariser and carries its own coverage in the text; `ask`
            was answered from passages of documents that are too long to be read whole, `library`
            from those of the library.
        error_code: Why it failed, where `state` is `failed`; with `error_facts` for the sentence.
        thought: What the model thought before it answered; never told to it again.
        thought_s: How long it thought.
        citations: The passages that an answer rests on, found by code.
    """

    id: str
    conversation_id: str
    role: Role
    text: str
    created_s: float
    state: MessageState = "complete"
    kind: MessageKind = "chat"
    attachments: tuple[Attachment, ...] = ()
    metrics: AnswerMetrics | None = None
    error_code: str = ""
    error_facts: dict[str, Fact] = field(default_factory=dict)
    thought: str = ""
    thought_s: float = 0.0
    citations: tuple[Citation, ...] = ()

    @property
    def can_go_on(self) -> bool:
        """Whether this is an answer that ended too early and can be continued where it stopped.

        That is one at its limit, and also one that was stopped, cut off or failed on its way.
        """
        is_early = self.state in ("length", "cancelled", "interrupted", "failed")
        return is_early and self.role == "assistant" and self.kind == "chat" and bool(self.text)


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation as the window opens it.

    Attributes:
        messages: Oldest first.
        first_seen_id: The oldest message the model still sees, or empty when it sees all of them.
        settings: How its answers are made.
        running_summary: What the model is told instead of the messages before `first_seen_id`;
            empty where they were dropped.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    first_seen_id: str = ""
    settings: AnswerSettings = field(default_factory=AnswerSettings)
    running_summary: str = ""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message that holds the words; `before`, `match` and `after` are its excerpt."""

    conversation_id: str
    title: str
    message_id: str
    before: str
    match: str
    after: str


@dataclass(frozen=True, slots=True)
class ContextUse:
    """How full the context window would be with the draft, in tokens; 0 of 0 without a model.

    Attributes:
        over_tokens: How much too long the draft alone is, with its documents; 0 where it fits.
        is_cut_next: Whether sending it makes older turns leave, as the conversation's settings say.
        by_passages: Whether its documents are too long to be read whole, so that it will be
            answered from their passages.
    """

    used_tokens: int
    limit_tokens: int
    over_tokens: int = 0
    is_cut_next: bool = False
    by_passages: bool = False


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn at one moment.

    Attributes:
        revision: Grows with every change, so that a reader can skip what it has seen.
        text: The answer so far. It usually grows, but a summary replaces statements in place.
        stage: What is going on, with `done` of `total` where they are known (tokens of the prompt,
            pages of a document, statements); total 0 is unknown.
        message: The stored answer, once the turn has ended.
        first_seen_id: As in `OpenedConversation`, once the context has been fitted.
        thought: What the model thinks before it answers, so far.
        thought_s: How long it has thought, once the answer begins.
        running_summary: As in `OpenedConversation`, once the context has been fitted.
    """

    revision: int
    text: str
    stage: Stage
    done: int = 0
    total: int = 0
    message: Message | None = None
    first_seen_id: str = ""
    thought: str = ""
    thought_s: float = 0.0
    running_summary: str = ""
