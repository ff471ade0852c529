"""How fast this machine reads memory: the bound of writing a token, which reads every weight once.

Threads add up the numbers of an array that no cache holds, each its own part, a few times over; the
best pass counts. Adding is far faster than reading, so reading is what is timed.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_ARRAY_BYTES = 512 << 20
_PASSES = 5
_PARTS_PER_THREAD = 4


def read_bandwidth(threads: int, array_bytes: int = _ARRAY_BYTES, passes: int = _PASSES) -> float:
    """Return bytes a second that `threads` threads read together; takes about a second."""
    array = np.ones(array_bytes // 8, np.int64)
    parts = np.array_split(array, threads * _PARTS_PER_THREAD)
    best_s = float("inf")
    with ThreadPoolExecutor(threads) as executor:
        for _ in range(passes):
            began_s = time.perf_counter()
            list(executor.map(np.sum, parts))
            best_s = min(best_s, time.perf_counter() - began_s)
    return array.nbytes / best_s
