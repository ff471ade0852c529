"""How long a host may be silent, counted in ticks."""

from dataclasses import replace

import pytest

from inference.errors import WorkerDied, WorkerHung
from inference.pending import Pending
from inference.types import (
    BareRun,
    ChatMessage,
    DeviceKind,
    DeviceTarget,
    GenerationRequest,
    LoadModel,
)
from inference.urgency import Request
from inference.watchdog import TICK_S, Limits, Watchdog

LIMITS = Limits(cancel_s=2.0, step_s=10.0, device_step_s=20.0, long_s=40.0)
LOAD = LoadModel(1, "folder")
ASK = GenerationRequest(1, "s", (ChatMessage("user", "hi"),))
GPU = DeviceTarget("gpu", "WebGpuExecutionProvider", "a GPU")


def ends_after_s(command: Request, device: DeviceKind = "cpu") -> float | None:
    """Return after how much silence a host that does this is ended, or None for never."""
    watchdog = Watchdog(LIMITS)
    pending = Pending(command, lambda _event: None)
    for number in range(1, 1000):
        if error := watchdog.tick([pending], device):
            assert error.facts == {"silent_s": round(number * TICK_S)}
            return number * TICK_S
    return None


@pytest.mark.parametrize(
    ("command", "device", "expected_s"),
    [
        (ASK, "cpu", 10.0),
        (ASK, "gpu", 20.0),
        (BareRun(1, 8, 8), "cpu", 40.0),
        (LOAD, "cpu", 40.0),
        (replace(LOAD, device="npu"), "cpu", None),
        (replace(LOAD, target=GPU), "cpu", None),
        (replace(LOAD, target=replace(GPU, kind="cpu")), "cpu", 40.0),
    ],
)
def test_the_limit_follows_what_is_done(
    command: Request, device: DeviceKind, expected_s: float | None
) -> None:
    assert ends_after_s(command, device) == expected_s


def test_a_sign_of_life_starts_it_anew() -> None:
    watchdog = Watchdog(LIMITS)
    pending = Pending(ASK, lambda _event: None)
    for _ in range(3):
        for _ in range(int(LIMITS.step_s / TICK_S) - 1):
            assert watchdog.tick([pending], "cpu") is None
        watchdog.heard()


def test_a_night_asleep_is_one_tick() -> None:
    watchdog = Watchdog(LIMITS)
    pending = Pending(ASK, lambda _event: None)
    # Whatever a clock would say by now, the thread has looked once before and once after.
    assert [watchdog.tick([pending], "cpu") for _ in range(2)] == [None, None]


def test_where_nothing_runs_nothing_is_awaited() -> None:
    watchdog = Watchdog(LIMITS)

    assert not any(watchdog.tick([], "cpu") for _ in range(1000))


def test_a_cancel_is_answered_in_time_whatever_else_is_heard() -> None:
    watchdog = Watchdog(LIMITS)
    pending = Pending(replace(LOAD, target=GPU), lambda _event: None, is_cancelled=True)
    errors = []
    for _ in range(int(LIMITS.cancel_s / TICK_S)):
        watchdog.heard()
        errors.append(watchdog.tick([pending], "cpu"))

    assert not any(errors[:-1])
    assert isinstance(errors[-1], WorkerDied)
    assert not isinstance(errors[-1], WorkerHung)
