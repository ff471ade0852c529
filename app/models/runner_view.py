"""What is known of the model in use at one moment, as values that window and command line show."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.errors import LoadBlocked, MemoryTight
from app.models.installed import InstalledModel
from inference.types import DeviceChoice

if TYPE_CHECKING:
    from inference.errors import Fact

Phase = Literal["none", "loading", "ready", "resting", "failed", "blocked", "tight"]


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """What a load would take, and what would take less.

    Attributes:
        needed_bytes: Weights, one full conversation, and the runtime.
        free_bytes: What can be had without swapping, our own host's memory included.
        context_tokens: The context window that `needed_bytes` is for.
        smaller_context_tokens: One that fits; 0 where none does.
        smaller_model_id: An installed model that fits; empty where none does.
    """

    needed_bytes: int
    free_bytes: int
    context_tokens: int
    smaller_context_tokens: int = 0
    smaller_model_id: str = ""


@dataclass(frozen=True, slots=True)
class KvUse:
    """What all KV caches take together, and what they may take; 0 while nothing is loaded.

    Attributes:
        reason: Why their numbers have 32 bits where 8 are wished for: a clause, or empty.
    """

    used_bytes: int = 0
    budget_bytes: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunnerView:
    """The model in use at one moment.

    Attributes:
        phase: `none` is no model, or one that is loaded when it is needed; `resting` gave its
            memory back after a while without work, and the next question loads it again; `blocked`
            waits for a person, because its load ended the process the last time; `tight` waits for
            one as well, because memory is short.
        device: Where it runs, once it is ready.
        context_tokens: The context window in force, or as far as it is known.
        is_instruct: It was taught to answer, as far as it is known; a base model was not.
        error: Why it is `failed`, `blocked` or `tight`.
        memory: What it needs and what would do, while it is `tight`.
        revision: Grows with every change.
    """

    phase: Phase = "none"
    model_id: str = ""
    title: str = ""
    device: DeviceChoice | None = None
    context_tokens: int = 0
    is_instruct: bool = True
    error: Exception | None = None
    memory: MemoryNeed | None = None
    revision: int = 0


def blocked_view(model: InstalledModel) -> RunnerView:
    """Return the view of a model whose load ended the host."""
    return RunnerView("blocked", model.id, model.title, error=LoadBlocked(model=model.title))


def tight_view(model: InstalledModel, need: MemoryNeed) -> RunnerView:
    """Return the view of a model that memory is too short for."""
    facts: dict[str, Fact] = {
        "model": model.title,
        "needed_bytes": need.needed_bytes,
        "free_bytes": need.free_bytes,
    }
    if need.smaller_context_tokens:
        facts["fitting_tokens"] = need.smaller_context_tokens
    if need.smaller_model_id:
        facts["fitting_model"] = need.smaller_model_id
    return RunnerView(
        "tight",
        model.id,
        model.title,
        context_tokens=need.context_tokens,
        error=MemoryTight(**facts),
        memory=need,
    )
