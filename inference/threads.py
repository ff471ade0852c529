"""Who may use how many cores, and whether others want them.

The number is set and never left to the runtime, whose own default counts virtual cores and pins its
threads to them. A core stays free for the window and the rest of the computer where there are three
or more. On two, the second thread is worth more than the free core (a quarter to a half of decoding
speed) as long as the machine is idle; on a crowded one the threads wait for each other, spinning,
and two are half as fast as one.
"""

import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import psutil

Work = Literal["model", "embedding", "ocr"]

_SMALL_MACHINE_CORES = 2
_LOOK_S = 0.1
_TOLERATED_CORES = 0.5


@dataclass(frozen=True, slots=True)
class CpuUse:
    """Seconds of processor time until a moment.

    Attributes:
        at_s: The moment, by `time.perf_counter`.
        all_s: Of all programs and all cores.
        own_s: Of this process.
    """

    at_s: float
    all_s: float
    own_s: float


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


def cpu_use() -> CpuUse:
    """Return the processor time used so far."""
    times, own = psutil.cpu_times(), psutil.Process().cpu_times()
    waiting_s = times.idle + getattr(times, "iowait", 0.0)
    # Linux counts guests twice: among the users as well.
    guests_s = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    return CpuUse(time.perf_counter(), sum(times) - waiting_s - guests_s, own.user + own.system)


def others_cores(before: CpuUse, after: CpuUse) -> float:
    """Return how many cores other programs kept busy between two moments."""
    others_s = (after.all_s - before.all_s) - (after.own_s - before.own_s)
    return max(0.0, others_s / max(after.at_s - before.at_s, 1e-9))


def is_crowded(since: CpuUse | None = None) -> bool:
    """Say whether others keep cores busy that the model's threads count on.

    Then these must not wait spinning: each turn they spin is one that the other does not get, and
    the operator waits for the slowest of them.

    Args:
        since: Look at the time since then, which should be a tenth of a second ago or more;
            without it, wait that long.
    """
    if since is None:
        since = cpu_use()
        time.sleep(_LOOK_S)
    free = _cores() - model_threads()
    return others_cores(since, cpu_use()) > free + _TOLERATED_CORES


def _cores() -> int:
    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1


def _is_overloaded(cores: int) -> bool:
    """Say whether more wants to run than there are cores; Windows keeps no such number."""
    if not hasattr(os, "getloadavg"):
        return False
    last_minute, _, _ = os.getloadavg()
    return last_minute > cores
