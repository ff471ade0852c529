"""How an answer ended, whoever wrote it."""

from dataclasses import dataclass, field

from app.chat.values import AnswerMetrics, MessageState
from app.documents.summary import Summary
from app.errors import AppError
from inference.errors import Cancelled, Fact, InferenceError
from inference.types import DeviceChoice, Failed, Finished

_STATES: dict[str, MessageState] = {
    "stop": "complete",
    "length": "length",
    "cancelled": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer ended."""

    state: MessageState
    metrics: AnswerMetrics | None = None
    error_code: str = ""
    error_facts: dict[str, Fact] = field(default_factory=dict)


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
    return Outcome(_STATES[event.reason], _metrics(event, model_id, device))


def outcome_of_summary(summary: Summary, device: DeviceChoice | None) -> Outcome:
    """Return the outcome of a summary; one that was stopped holds what there was by then."""
    metrics = AnswerMetrics(
        prompt_tokens=summary.usage.prompt_tokens,
        cached_tokens=summary.usage.cached_tokens,
        generated_tokens=summary.usage.generated_tokens,
        ttft_s=0.0,
        seconds=summary.seconds,
        tokens_per_s=0.0,
        model_id=summary.model_id,
        device=device if summary.model_id else None,
    )
    return Outcome("cancelled" if summary.note == "summary_stopped" else "complete", metrics)


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
    )
