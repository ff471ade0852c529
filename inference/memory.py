"""How much memory this process has needed, and how much its KV caches may take."""

import sys
from pathlib import Path

import psutil

_KIB = 1024
_MIB = 1 << 20
_SHARE_OF_MACHINE = 8
_LEAST_BUDGET_BYTES = 512 * _MIB
_MOST_BUDGET_BYTES = 4096 * _MIB


def peak_bytes() -> int:
    """Return the largest resident memory of this process so far.

    Linux's `getrusage` is not asked: it begins with what the parent had when it started us.
    """
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    if sys.platform == "darwin":
        import resource  # noqa: PLC0415 - exists on POSIX only

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * _KIB
    return int(psutil.Process().memory_info().rss)


def kv_budget_bytes() -> int:
    """Return how much all KV caches together may take: an eighth of the machine, within bounds."""
    share = int(psutil.virtual_memory().total) // _SHARE_OF_MACHINE
    return min(max(share, _LEAST_BUDGET_BYTES), _MOST_BUDGET_BYTES)
