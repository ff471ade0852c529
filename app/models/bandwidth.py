"""How fast this machine reads memory, measured once and kept: the bound of writing an answer.

Every token reads every weight once, so this number says how fast a model will be before anybody
fetched it. Other programs that read memory at the same time make it too small, never too large:
of two measurements the larger one is right.
"""

import json
import platform
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.atomic import write_atomically
from inference.child import Child

_FORMAT = 1
_ANSWER_S = 10.0


class Bandwidth:
    """The number in one file; may be used from any thread.

    The file may come to another machine with a backup, so it says what it holds for. It is a note:
    one that cannot be read or written costs a measurement more.

    Args:
        path: The file.
        launch: Starts the child that measures, so that a window stays small and smooth; None
            measures in this process.
    """

    def __init__(self, path: Path, launch: Callable[[], Child] | None = None) -> None:
        self._path = path
        self._launch = launch

    def kept_bytes_per_s(self) -> float:
        """Return what was measured on this machine; 0 where nothing was."""
        try:
            body = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return 0.0
        if not isinstance(body, dict) or body.get("format") != _FORMAT:
            return 0.0
        value = body.get("bytes_per_s")
        if body.get("machine") != _machine() or isinstance(value, bool):
            return 0.0
        return float(value) if isinstance(value, int | float) and value > 0 else 0.0

    def measure_bytes_per_s(self) -> float:
        """Measure, keep and return the largest that was measured; blocks for some 0.3 s.

        It is 0 where the child could not say and nothing is kept.
        """
        measured = _ask(self._launch) if self._launch else _measure()
        best = max(measured, self.kept_bytes_per_s())
        if best > 0:
            body = {"format": _FORMAT, "machine": _machine(), "bytes_per_s": round(best)}
            with suppress(OSError):
                write_atomically(self._path, json.dumps(body).encode())
        return best

    def bytes_per_s(self) -> float:
        """Return what is kept, or measure; not on the GUI thread."""
        return self.kept_bytes_per_s() or self.measure_bytes_per_s()


def _measure() -> float:
    from inference.bench import bandwidth  # noqa: PLC0415 - numpy, not in the window's process

    return bandwidth.quick_bandwidth()


def _ask(launch: Callable[[], Child]) -> float:
    """Return what a child measured; 0 where it ended without a number."""
    try:
        child = launch()
    except OSError:
        return 0.0
    try:
        if child.connection.poll(_ANSWER_S):
            return float(json.loads(child.connection.recv_bytes()))
    except (EOFError, OSError):
        pass  # it ended: a speed that is not said harms nobody
    finally:
        child.close()
    return 0.0


def _machine() -> str:
    """Return what tells machines of different speed apart, without the machine's name."""
    import psutil  # noqa: PLC0415 - see above

    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    gigabytes = round(psutil.virtual_memory().total / 1e9)
    processor = platform.processor() or platform.machine()
    return f"{processor}, {cores} cores, {gigabytes} GB"
