"""Who shares the cores, and whether others want them."""

import subprocess
import sys

import psutil
import pytest

from inference import threads
from inference.threads import CpuUse, Work


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


def test_what_this_process_uses_is_not_the_others() -> None:
    before = CpuUse(at_s=10.0, all_s=100.0, own_s=5.0)
    after = CpuUse(at_s=12.0, all_s=104.0, own_s=8.0)

    assert threads.others_cores(before, after) == 0.5


def test_a_machine_whose_cores_are_all_busy_is_crowded() -> None:
    busy = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
        for _ in range(psutil.cpu_count())
    ]
    try:
        assert threads.is_crowded()
    finally:
        for each in busy:
            each.kill()
            each.wait()


def test_time_passes_for_nobody_else_where_only_this_process_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = threads.cpu_use()
    later = CpuUse(before.at_s + 1, before.all_s + 3, before.own_s + 3)
    monkeypatch.setattr(threads, "cpu_use", lambda: later)

    assert not threads.is_crowded(before)
