"""How an answer ended, whoever wrote it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.chat.values import AnswerMetrics, MessageKind, MessageState
from app.documents.summary import Summary
from app.documents.values import Citation
from app.errors import AppError
from inference.errors import Cancelled, Fact, InferenceError
from inference.types import DeviceChoice, Failed, Finished

if TYPE_CHECKING:
    from app.documents.asking import DocumentAnswer

_STATES: dict[str, MessageState] = {
    "stop": "complete",
    "length": "length",
    "cancelled": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer ended; `thought_s` is how long the model thought before it.

    Attributes:
        citations: What it rests on, found by code.
        kind: How it was made, where that was known only on the way.
    """

    state: MessageState
    metrics: AnswerMetrics | None = None
    error_code: str = ""
    error_facts: dict[str, Fact] = field(default_factory=dict)
    thought_s: float = 0.0
    citations: tuple[Citation, ...] = ()
    kind: MessageKind | None = None


def failed(error: AppError | InferenceError) -> Outcome:
    """Return the outcome of an answer that ended with `error`; `Cancelled` is no failure."""
    if isinstance(error, Cancelled):
        return Outcome("cancelled")
    return Outcome("failed", error_code=error.code, error_facts=error.facts)


def outcome_of(event: Finished | Failed, *, model_id: str, device: DeviceChoice | None) -> Outcome:
    """Return the outcome that a generator's last event tells of."""
    if isinstance(event, Failed):
        if event.code == Cancelled.code:
            return Outcome("cancelled")
        return Outcome("failed", error_code=event.code, error_facts=event.facts)
    metrics = _metrics(event, model_id, device)
    return Outcome(_STATES[event.reason], metrics, thought_s=event.thought_s)


def outcome_of_summary(
    summaries: Sequence[Summary], citations: tuple[Citation, ...], device: DeviceChoice | None
) -> Outcome:
    """Return the outcome of summaries; one that was stopped holds what there was by then."""
    model_id = next((each.model_id for each in summaries if each.model_id), "")
    metrics = AnswerMetrics(
        prompt_tokens=sum(each.usage.prompt_tokens for each in summaries),
        cached_tokens=sum(each.usage.cached_tokens for each in summaries),
        generated_tokens=sum(each.usage.generated_tokens for each in summaries),
        ttft_s=0.0,
        seconds=sum(each.seconds for each in summaries),
        tokens_per_s=0.0,
        model_id=model_id,
        device=device if model_id else None,
    )
    is_stopped = any(each.note == "summary_stopped" for each in summaries)
    return Outcome("cancelled" if is_stopped else "complete", metrics, citations=citations)


def outcome_of_consulting(
    answer: "DocumentAnswer",
    citations: tuple[Citation, ...],
    device: DeviceChoice | None,
    *,
    kind: MessageKind,
    seconds: float,
) -> Outcome:
    """Return the outcome of an answer from passages."""
    model_id = str(answer.note_facts.get("model", ""))
    metrics = AnswerMetrics(
        prompt_tokens=answer.usage.prompt_tokens,
        cached_tokens=answer.usage.cached_tokens,
        generated_tokens=answer.usage.generated_tokens,
        ttft_s=0.0,
        seconds=round(seconds, 2),
        tokens_per_s=0.0,
        model_id=model_id,
        device=device if model_id else None,
    )
    return Outcome("complete", metrics, citations=citations, kind=kind)


def _metrics(event: Finished, model_id: str, device: DeviceChoice | None) -> AnswerMetrics:
    return AnswerMetrics(
        prompt_tokens=event.prompt_tokens,
        cached_tokens=event.cached_tokens,
        generated_tokens=event.generated_tokens,
        ttft_s=event.ttft_s,
        seconds=max(event.ttft_s, event.prefill_s) + event.decode_s,
        tokens_per_s=event.decode_tokens_per_s,
        prefill_tokens_per_s=event.prefill_tokens_per_s,
        model_id=model_id,
        device=device,
        drafted_tokens=event.drafted_tokens,
        accepted_tokens=event.accepted_tokens,
    )


def joined(first: AnswerMetrics | None, more: AnswerMetrics | None) -> AnswerMetrics | None:
    """Return the measurements of an answer that was written in two goes.

    What was read for it and how long its first word took are those of the first go; what was
    written and how long that took are sums, and its speed is that of both.
    """
    if first is None or more is None:
        return more or first
    goes = [go for go in (first, more) if go.tokens_per_s > 0]
    steps = sum(go.generated_tokens - 1 for go in goes)
    decode_s = sum((go.generated_tokens - 1) / go.tokens_per_s for go in goes)
    return replace(
        first,
        generated_tokens=first.generated_tokens + more.generated_tokens,
        seconds=first.seconds + more.seconds,
        tokens_per_s=steps / decode_s if decode_s > 0 else 0.0,
        model_id=more.model_id,
        device=more.device,
        drafted_tokens=first.drafted_tokens + more.drafted_tokens,
        accepted_tokens=first.accepted_tokens + more.accepted_tokens,
    )
