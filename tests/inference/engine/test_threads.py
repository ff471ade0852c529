"""Who shares the cores, and whether others want them."""

import os

import psutil
import pytest

from inference import threads
from inference.threads import Work


@pytest.mark.parametrize(
    ("cores", "work", "beside", "expected"),
    [
        (8, "model", ("embedding", "ocr"), 7),
        (8, "embedding", ("model",), 1),
        (8, "ocr", ("model", "embedding"), 1),
        (8, "embedding", (), 7),
        (8, "embedding", ("ocr",), 3),
        (2, "ocr", ("embedding",), 1),
        (1, "ocr", (), 1),
    ],
)
def test_background_work_never_takes_the_models_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, work: Work, beside: tuple[Work, ...], expected: int
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: cores)

    assert threads.share(work, beside) == expected


@pytest.mark.skipif(not hasattr(os, "getloadavg"), reason="no such average on this system")
@pytest.mark.parametrize(("last_minute", "expected"), [(3.9, True), (4.1, False)])
def test_threads_spin_only_while_there_is_a_core_for_everybody(
    monkeypatch: pytest.MonkeyPatch, last_minute: float, expected: bool
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (last_minute, 0.0, 0.0))

    assert threads.may_spin() is expected
