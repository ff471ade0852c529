"""How much memory this process has needed, how much its KV caches may take, and giving it back."""

import ctypes
import functools
import sys
from collections.abc import Callable
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


def free_bytes() -> int:
    """Return what the machine could still give."""
    return int(psutil.virtual_memory().available)


def give_back() -> None:
    """Return freed memory to the system where the allocator keeps it for itself: glibc does."""
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    return trim
