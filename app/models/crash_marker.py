"""Remembers that a model is being loaded, so that a load that ended a process is not repeated.

A driver that brings the host, Snug or the whole machine down leaves no time to write anything
afterwards, so the mark is made before and taken away after. Each program makes its own, named with
its process: another Snug that is loading the same model at this moment is no crash.

A load counts as a crash when the host ended under it, or the machine did. Snug itself is ended for
many reasons while a model loads, by a person most of all, so that counts only twice in a row.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from inference.errors import BadFrame
from inference.frames import Codec

_FOLDER = ".loading"
_ENDING = ".json"
# What the system says about its start moves with its clock.
_SAME_START_S = 120.0


@dataclass(frozen=True, slots=True)
class _Mark:
    """A load by one program.

    Attributes:
        booted_s: When the machine was started.
        interrupted: Loads of the model before this one in a row whose program ended under them.
        has_crashed: The host ended under it.
    """

    pid: int
    started_s: float
    booted_s: float
    interrupted: int = 0
    has_crashed: bool = False


_JSON = Codec((_Mark,))


class CrashMarker:
    """Marks below the models' folder; where they cannot be written, nothing is remembered."""

    def __init__(self, models: Path) -> None:
        self._folder = models / _FOLDER

    def begin(self, model_id: str) -> None:
        """Mark the beginning of a load by this program."""
        interrupted = 0
        for path in self._paths(model_id):
            with suppress(OSError):
                mark = _read(path)
                if mark is not None and not _is_alive(mark):
                    interrupted += 1 + mark.interrupted
                    path.unlink(missing_ok=True)
        self._write(model_id, interrupted=interrupted)

    def end(self, model_id: str) -> None:
        """Take this program's mark away: the load ended, well or with an error."""
        with suppress(OSError):
            self._path(model_id).unlink(missing_ok=True)

    def crashed(self, model_id: str) -> None:
        """Note that the host ended while this program had it load the model."""
        self._write(model_id, has_crashed=True)

    def forgive(self, model_id: str) -> None:
        """Forget what happened: a person asks again."""
        for path in self._paths(model_id):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def blocks(self, model_id: str) -> bool:
        """Return whether loads of this model have crashed."""
        return any(_tells_of_crash(path) for path in self._paths(model_id))

    def _write(self, model_id: str, *, interrupted: int = 0, has_crashed: bool = False) -> None:
        import psutil  # noqa: PLC0415 - the window must not wait for it at its start

        process = psutil.Process()
        mark = _Mark(
            process.pid, process.create_time(), psutil.boot_time(), interrupted, has_crashed
        )
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._path(model_id).write_bytes(_JSON.encode(mark))

    def _path(self, model_id: str) -> Path:
        return self._folder / f"{model_id}.{os.getpid()}{_ENDING}"

    def _paths(self, model_id: str) -> list[Path]:
        return [
            path
            for path in self._folder.glob(f"*{_ENDING}")
            if path.name.removesuffix(_ENDING).rpartition(".")[0] == model_id
        ]


def _tells_of_crash(path: Path) -> bool:
    try:
        mark = _read(path)
    except FileNotFoundError:
        return False
    if mark is None or mark.has_crashed:
        return True  # where it cannot be read, it was being written when everything ended
    if _is_alive(mark):
        return False
    return mark.interrupted > 0 or not _is_of_this_start(mark)


def _read(path: Path) -> _Mark | None:
    """Return a mark, or None where it cannot be read.

    Raises:
        FileNotFoundError: It has been taken away.
    """
    try:
        mark: _Mark = _JSON.decode(path.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, BadFrame):
        return None
    return mark


def _is_alive(mark: _Mark) -> bool:
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    try:
        return bool(psutil.Process(mark.pid).create_time() == mark.started_s)
    except (psutil.Error, ValueError, OverflowError):
        return False


def _is_of_this_start(mark: _Mark) -> bool:
    """Tell whether the machine has been up ever since; hibernating is no new start."""
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    return abs(float(psutil.boot_time()) - mark.booted_s) < _SAME_START_S
