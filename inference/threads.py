"""Who may use how many cores.

The number is set and never left to the runtime, whose own default counts virtual cores and pins its
threads to them. A core stays free for the window and the rest of the computer where there are three
or more. On two, the second thread is worth more than the free core (a quarter to a half of decoding
speed) as long as the machine is idle; on a crowded one the threads wait for each other, spinning,
and two are half as fast as one.
"""

import os

import psutil

_SMALL_MACHINE_CORES = 2


def model_threads() -> int:
    """Return how many threads a model that is loaded now gives its operators."""
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    if cores <= _SMALL_MACHINE_CORES and not _is_crowded(cores):
        return cores
    return max(1, cores - 1)


def _is_crowded(cores: int) -> bool:
    """Say whether more wants to run than there are cores; Windows keeps no such number."""
    if not hasattr(os, "getloadavg"):
        return False
    last_minute, _, _ = os.getloadavg()
    return last_minute > cores
