"""Who may use how many cores, and whether others want them.

The number is set and never left to the runtime, whose own default counts virtual cores and pins its
threads to them. A core stays free for the window and the rest of the computer where there are three
or more. On two, the second thread is worth more than the free core (a quarter to a half of decoding
speed) as long as the machine is idle; on a crowded one the threads wait for each other, spinning,
and two are half as fast as one.
"""

import os
from collections.abc import Collection
from typing import Literal

import psutil

Work = Literal["model", "embedding", "ocr"]

_SMALL_MACHINE_CORES = 2


def model_threads() -> int:
    """Return how many threads a model that is loaded now gives its operators."""
    cores = _cores()
    if cores <= _SMALL_MACHINE_CORES and not _is_overloaded(cores):
        return cores
    return max(1, cores - 1)


def share(work: Work, beside: Collection[Work] = ()) -> int:
    """Return how many threads `work` gets, given what else may run at the same time.

    A person waits for the model: it has what `model_threads` says, whatever runs beside it. The
    others are many small pieces in the background. Beside a model each has the one core that is
    left; without one they split all but one core between themselves.
    """
    if work == "model":
        return model_threads()
    if "model" in beside:
        return 1
    workers = len({work, *beside})
    return max(1, (_cores() - 1) // workers)


def may_spin() -> bool:
    """Say whether the model's threads may wait for each other spinning.

    On a crowded machine each turn they spin is one that another program does not get, and the
    operator waits for the slowest of them. What counts is a minute's average: a program that has
    just been started is busy for a moment, Snug itself among them.
    """
    return not _is_overloaded(_cores())


def _cores() -> int:
    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1


def _is_overloaded(cores: int) -> bool:
    """Say whether more wants to run than there are cores; Windows keeps no such number."""
    if not hasattr(os, "getloadavg"):
        return False
    last_minute, _, _ = os.getloadavg()
    return last_minute > cores
