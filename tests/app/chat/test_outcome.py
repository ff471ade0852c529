from dataclasses import replace

import pytest

from app.chat.outcome import failed, outcome_of
from app.errors import StoreFull
from inference.errors import Cancelled, OutOfMemory
from inference.types import DeviceChoice, Failed, Finished

DEVICE = DeviceChoice("cpu", "CPUExecutionProvider", "A CPU")
FINISHED = Finished(
    request_id=1,
    reason="stop",
    prompt_tokens=120,
    cached_tokens=20,
    generated_tokens=11,
    ttft_s=0.6,
    prefill_s=0.5,
    decode_s=2.0,
    peak_bytes=1,
    thought_s=0.4,
    drafted_tokens=8,
    accepted_tokens=6,
)


def test_speeds_are_measured_over_what_they_are_about() -> None:
    metrics = outcome_of(FINISHED, model_id="m", device=DEVICE).metrics
    assert metrics is not None
    assert metrics.tokens_per_s == pytest.approx(10 / 2.0)
    assert metrics.prefill_tokens_per_s == pytest.approx(100 / 0.5)
    assert metrics.seconds == pytest.approx(2.6)
    assert (metrics.model_id, metrics.device) == ("m", DEVICE)
    assert (metrics.drafted_tokens, metrics.accepted_tokens) == (8, 6)
    assert outcome_of(FINISHED, model_id="m", device=DEVICE).thought_s == 0.4


@pytest.mark.parametrize("tokens", [0, 1])
def test_there_is_no_speed_of_fewer_than_two_tokens(tokens: int) -> None:
    event = replace(FINISHED, generated_tokens=tokens, decode_s=0.0, prefill_s=0.0)
    metrics = outcome_of(event, model_id="m", device=None).metrics
    assert metrics is not None
    assert (metrics.tokens_per_s, metrics.prefill_tokens_per_s) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("reason", "state"), [("stop", "complete"), ("length", "length"), ("cancelled", "cancelled")]
)
def test_the_reason_becomes_the_state(reason: str, state: str) -> None:
    event = replace(FINISHED, reason=reason)  # type: ignore[arg-type]
    assert outcome_of(event, model_id="m", device=None).state == state


def test_a_failure_keeps_its_code_and_facts_and_a_stop_is_none() -> None:
    outcome = outcome_of(Failed(1, "out_of_memory", {"needed_bytes": 5}), model_id="", device=None)
    assert outcome == failed(OutOfMemory(needed_bytes=5))
    assert (outcome.state, outcome.error_code) == ("failed", "out_of_memory")
    assert failed(StoreFull()).error_code == "store_full"
    stopped = outcome_of(Failed(1, "cancelled"), model_id="", device=None)
    assert stopped == failed(Cancelled())
    assert stopped.state == "cancelled"
