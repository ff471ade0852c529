"""Remembers that a model is being loaded, so that a load that ended a process is not repeated.

A driver that brings the host, Snug or the whole machine down leaves no time to write anything
afterwards, so the mark is made before and taken away after. Each program makes its own, named with
its process: another Snug that is loading the same model at this moment is no crash.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_FOLDER = ".loading"


class CrashMarker:
    """Marks below the models' folder; where they cannot be written, nothing is remembered."""

    def __init__(self, models: Path) -> None:
        self._folder = models / _FOLDER

    def begin(self, model_id: str) -> None:
        """Mark the beginning of a load by this program."""
        self._write(model_id, has_crashed=False)

    def end(self, model_id: str) -> None:
        """Take this program's mark away: the load ended, well or with an error."""
        with suppress(OSError):
            self._mark(model_id, os.getpid()).unlink(missing_ok=True)

    def crashed(self, model_id: str) -> None:
        """Note that the host ended while this program had it load the model."""
        self._write(model_id, has_crashed=True)

    def forgive(self, model_id: str) -> None:
        """Forget what happened: a person asks again."""
        for mark in self._marks(model_id):
            with suppress(OSError):
                mark.unlink(missing_ok=True)

    def blocks(self, model_id: str) -> bool:
        """Return whether a load of this model never came to its end."""
        return any(_tells_of_crash(mark) for mark in self._marks(model_id))

    def _write(self, model_id: str, *, has_crashed: bool) -> None:
        import psutil  # noqa: PLC0415 - the window must not wait for it at its start

        process = psutil.Process()
        body = {
            "pid": process.pid,
            "started_s": process.create_time(),
            "has_crashed": has_crashed,
        }
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._mark(model_id, process.pid).write_text(json.dumps(body), encoding="utf-8")

    def _mark(self, model_id: str, pid: int) -> Path:
        return self._folder / f"{model_id}.{pid}.json"

    def _marks(self, model_id: str) -> list[Path]:
        ending = ".json"
        return [
            mark
            for mark in self._folder.glob(f"*{ending}")
            if mark.name.removesuffix(ending).rpartition(".")[0] == model_id
        ]


def _tells_of_crash(mark: Path) -> bool:
    try:
        body = json.loads(mark.read_bytes())
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True  # it was being written when everything ended
    return not isinstance(body, dict) or body.get("has_crashed") is True or not _is_alive(body)


def _is_alive(body: dict[str, Any]) -> bool:
    import psutil  # noqa: PLC0415 - the window must not wait for it at its start

    try:
        return bool(psutil.Process(body.get("pid")).create_time() == body.get("started_s"))
    except (psutil.Error, TypeError, ValueError):
        return False
