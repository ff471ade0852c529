"""The values and frames that cross the pipe between the program and the inference host.

Everything here is frozen, knows neither Qt nor a native runtime, and is the one vocabulary that
window, services and host share.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeGuard

from inference.errors import Fact
from inference.frames import Codec
from inference.scoring_frames import Scored, ScoreText

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "cancelled"]
DeviceKind = Literal["cpu", "gpu", "npu"]
DeviceWish = Literal["auto", "cpu", "gpu", "npu"]
Lane = Literal["interactive", "batch"]
Channel = Literal["answer", "thought"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation, before the chat template is applied."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn, and when to stop.

    Attributes:
        temperature: 0 means greedy: always the likeliest token.
        top_p: Keep the likeliest tokens whose probabilities add up to this.
        top_k: Keep at most this many tokens; 0 keeps all.
        seed: The same seed gives the same answer on one device with a fresh cache; None draws one.
        max_new_tokens: Upper bound on generated tokens, at least 1.
        min_p: Keep tokens at least this fraction as likely as the likeliest; 0 keeps all.
        repetition_penalty: Logits of tokens that occurred before are divided (where negative:
            multiplied) by this; 1 leaves them.
        stop: The answer ends before the first of these strings.
    """

    temperature: float = 0.3
    top_p: float = 0.9
    top_k: int = 40
    seed: int | None = None
    max_new_tokens: int = 1024
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 10:  # noqa: PLR2004
            raise ValueError("temperature must be between 0 and 10")
        if not 0 < self.top_p <= 1:
            raise ValueError("top_p must be above 0 and at most 1")
        if self.top_k < 0 or self.max_new_tokens < 1:
            raise ValueError("top_k must not be negative and max_new_tokens at least 1")
        if not 0 <= self.min_p < 1 or not 0 < self.repetition_penalty <= 10:  # noqa: PLR2004
            raise ValueError("min_p must be below 1 and repetition_penalty above 0")
        if any(not text for text in self.stop):
            raise ValueError("a stop string must not be empty")


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The device that runs the model, and why this one.

    Attributes:
        kind: What it is.
        provider: ONNX Runtime's execution provider, such as CPUExecutionProvider.
        name: What a person calls it, such as the processor's name.
        reason: Empty when the wish was met; else one clause that says why another device runs.
    """

    kind: DeviceKind
    provider: str
    name: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeviceTarget:
    """One device that a model can be told to run on.

    Attributes:
        provider: ONNX Runtime's execution provider, such as CPUExecutionProvider.
        name: What a person calls it.
        library: Path of the plug-in that brings the provider; empty where the runtime has it.
        options: Options of the provider, such as device_type.
        driver: The driver's version as far as the system tells it; a new one is tried anew.
        is_virtual: It exists for compiling only; its plug-in is registered as a virtual one.
    """

    kind: DeviceKind
    provider: str
    name: str
    vendor: str = ""
    library: str = ""
    options: dict[str, str] = field(default_factory=dict)
    driver: str = ""
    is_virtual: bool = False


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Load a model folder; any model loaded before is dropped.

    Attributes:
        folder: A folder that holds genai_config.json, as an absolute path.
        device: What to run it on where no `target` is named; `auto` takes the best that works.
        context_tokens: Context window to offer; 0 takes what the model's folder says.
        target: The very device; the processor takes its place, with a reason, where it fails.
        reason: Why `target` is not what was wished for; becomes `DeviceChoice.reason`.
        kv_budget_bytes: What all KV caches may take together; 0 lets the host choose.
        kv_bits: Size of a number in the KV cache: 32, or 8 where the model's graph allows it.
        threads: Threads for the model's operators; 0 lets the host choose.
        spins: Whether threads wait spinning; faster on an idle machine, slower on a crowded one.
    """

    request_id: int
    folder: str
    device: DeviceWish = "auto"
    context_tokens: int = 0
    target: DeviceTarget | None = None
    reason: str = ""
    kv_budget_bytes: int = 0
    kv_bits: int = 32
    threads: int = 0
    spins: bool = True


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """Ask for one assistant message.

    Attributes:
        request_id: Unique within one host; every event repeats it.
        session_id: Requests of one session share a KV cache: only what differs from the session's
            last sequence is prefilled.
        messages: Oldest first; the last one is the user's.
        drafts: Draft tokens by n-grams of the prompt; pays where answers quote.
        ignore_eos: Go on to `max_new_tokens`; for benchmarks only.
        continues: The last message is an assistant's that ended too early: go on behind it.
        schema: JSON Schema that the answer must follow, as JSON text; empty leaves it free.
    """

    request_id: int
    session_id: str
    messages: tuple[ChatMessage, ...]
    sampling: Sampling = field(default_factory=Sampling)
    lane: Lane = "interactive"
    drafts: bool = False
    ignore_eos: bool = False
    continues: bool = False
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Prefill:
    """Compute ahead what is certain of the next prompt of a session, while the engine is idle.

    Anything that a person waits for goes first, and a request of the same session ends it.

    Attributes:
        messages: Oldest first. Of the last one, where it is the user's, all but the very end is
            computed: it may still grow.
    """

    request_id: int
    session_id: str
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True)
class BareRun:
    """Run a plain generator loop on the loaded model, for `snug bench` to compare with."""

    request_id: int
    prompt_tokens: int
    new_tokens: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop a request between two tokens or two prefill chunks; its text so far stays valid."""

    request_id: int


@dataclass(frozen=True, slots=True)
class DropSession:
    """Give back the KV cache of a session; sent when a conversation is deleted."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Last event of a successful `LoadModel`.

    Attributes:
        context_tokens: The context window in force.
        load_s: Seconds from the command to a model that can answer.
        threads: Threads given to the model's operators.
        versions: Package name to version of the native runtimes.
        kv_budget_bytes: What all KV caches may take together.
        kv_token_bytes: What a token takes in one of them.
        kv_bits: Size of a number in them, in force.
        kv_reason: Why that is not what was wished for; empty if it is.
        is_instruct: It was taught to answer; a base model only goes on with a text.
    """

    request_id: int
    device: DeviceChoice
    context_tokens: int
    load_s: float
    threads: int
    versions: dict[str, str]
    kv_budget_bytes: int = 0
    kv_token_bytes: int = 0
    kv_bits: int = 32
    kv_reason: str = ""
    is_instruct: bool = True


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """How much of the prompt has been read; sent between chunks."""

    request_id: int
    done_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of decoded text; never splits a code point.

    Attributes:
        channel: Whether it belongs to the answer or to what the model thinks before it.
    """

    request_id: int
    text: str
    channel: Channel = "answer"


@dataclass(frozen=True, slots=True)
class Finished:
    """Last event of a request that was answered or stopped.

    Attributes:
        prompt_tokens: Tokens of the whole prompt.
        cached_tokens: How many of them were already in the KV cache.
        generated_tokens: Tokens drawn, the end token not counted.
        ttft_s: Seconds from the request's arrival in the host to the first token; 0 without one.
        prefill_s: Seconds spent on the part of the prompt that was not cached.
        decode_s: Seconds from the first token to the last.
        peak_bytes: The host's largest resident memory so far.
        thought_tokens: How many of the generated tokens were thought and not answer.
        thought_s: Seconds from the first token to the end of the thought.
        drafted_tokens: Tokens that were drafted.
        accepted_tokens: How many of them the model would have drawn as well.
        kv_bytes: What all KV caches take together.
    """

    request_id: int
    reason: FinishReason
    prompt_tokens: int
    cached_tokens: int
    generated_tokens: int
    ttft_s: float
    prefill_s: float
    decode_s: float
    peak_bytes: int
    thought_tokens: int = 0
    thought_s: float = 0.0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    kv_bytes: int = 0

    @property
    def prefill_tokens_per_s(self) -> float:
        """Speed of reading what was not cached; 0 where nothing was read."""
        read_tokens = self.prompt_tokens - self.cached_tokens
        return read_tokens / self.prefill_s if self.prefill_s > 0 else 0.0

    @property
    def decode_tokens_per_s(self) -> float:
        """Speed after the first token; 0 where fewer than two came."""
        intervals = self.generated_tokens - 1
        return intervals / self.decode_s if intervals > 0 and self.decode_s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Prefilled:
    """Last event of a `Prefill`, however far it came.

    Attributes:
        ready_tokens: Leading tokens of the prompt that are in the session's cache now.
        total_tokens: How many were certain.
        kv_bytes: What all KV caches take together.
    """

    request_id: int
    ready_tokens: int
    total_tokens: int
    kv_bytes: int = 0


@dataclass(frozen=True, slots=True)
class BareMeasured:
    """Last event of a `BareRun`: seconds for its prompt, and for its tokens after the first."""

    request_id: int
    prefill_s: float
    decode_s: float


@dataclass(frozen=True, slots=True)
class Failed:
    """Last event of a request that could not be completed; see `inference.errors`."""

    request_id: int
    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alive:
    """The host has worked on for a second with nothing to tell; it belongs to no request."""

    request_id: int = 0


Stepwise: TypeAlias = GenerationRequest | Prefill | ScoreText
"""Requests that are done in steps, in a session of theirs."""

LastEvent: TypeAlias = Loaded | Finished | Prefilled | Scored | BareMeasured | Failed
Command: TypeAlias = LoadModel | Stepwise | BareRun | Cancel | DropSession
Event: TypeAlias = (
    Loaded
    | PrefillProgress
    | TextDelta
    | Finished
    | Prefilled
    | Scored
    | BareMeasured
    | Failed
    | Alive
)

COMMANDS = Codec((LoadModel, GenerationRequest, Prefill, ScoreText, BareRun, Cancel, DropSession))
EVENTS = Codec(
    (Loaded, PrefillProgress, TextDelta, Finished, Prefilled, Scored, BareMeasured, Failed, Alive)
)


def is_last(event: Event) -> TypeGuard[LastEvent]:
    """Return whether no further event of the same request follows."""
    return isinstance(event, LastEvent)
