"""How fast this machine reads memory: the bound of writing a token, which reads every weight once.

Threads add up the numbers of an array that no cache holds, each its own part, a few times over; the
best pass counts. Adding is far faster than reading, so reading is what is timed.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import numpy as np

from inference import threads

_ARRAY_BYTES = 512 << 20
_PASSES = 5
_PARTS_PER_THREAD = 4
# Larger than the caches of an office machine, and filled in a tenth of a second.
_QUICK_ARRAY_BYTES = 128 << 20
_QUICK_PASSES = 6


def read_bandwidth(
    thread_count: int, array_bytes: int = _ARRAY_BYTES, passes: int = _PASSES
) -> float:
    """Return bytes a second that `thread_count` threads read together; takes about a second."""
    array = np.ones(array_bytes // 8, np.int64)
    parts = np.array_split(array, thread_count * _PARTS_PER_THREAD)
    best_s = float("inf")
    with ThreadPoolExecutor(thread_count) as executor:
        for _ in range(passes):
            began_s = time.perf_counter()
            list(executor.map(np.sum, parts))
            best_s = min(best_s, time.perf_counter() - began_s)
    return array.nbytes / best_s


def quick_bandwidth() -> float:
    """Return bytes a second that as many threads read as a model gets; takes some 0.3 s."""
    return read_bandwidth(threads.model_threads(), _QUICK_ARRAY_BYTES, _QUICK_PASSES)


def serve(connection: Connection) -> int:
    """Measure in a process of its own, send the number as JSON, and return the exit code."""
    connection.send_bytes(json.dumps(quick_bandwidth()).encode())
    return 0
