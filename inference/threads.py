"""Who may use how many cores.

The number is set and never left to the runtime: its own default counts virtual cores and pins its
threads to them. A core stays free for the window and the rest of the computer where there are
three or more; on two, the second thread is worth more (a fifth to two fifths of decoding speed)
than the free core.
"""

import psutil

_SMALL_MACHINE_CORES = 2


def model_threads() -> int:
    """Return how many threads the model's operators get."""
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    return cores if cores <= _SMALL_MACHINE_CORES else cores - 1
