"""What trials found out about devices, kept beside the models.

A verdict holds for one model on one device with one driver and one version of the plug-in: when any
of them is new, the device is tried anew. It is a note and no record: a file that cannot be read
means that nothing is known, and one that cannot be written costs a trial more the next time.
"""

import json
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from app.atomic import write_atomically

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A verdict and what it holds for.

    Attributes:
        plugin: Name and version of what brings the provider.
        reason: Why the device does not work with the model; empty where it does.
    """

    provider: str
    plugin: str
    driver: str
    device: str
    model_id: str
    reason: str = ""
    tokens_per_s: float = 0.0

    @property
    def key(self) -> tuple[str, ...]:
        """What the verdict holds for."""
        return (self.provider, self.plugin, self.driver, self.device, self.model_id)


class DeviceTrust:
    """The verdicts in one file; may be used from any thread, and by two programs at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def entries(self) -> tuple[Entry, ...]:
        """Return what is known, the latest last."""
        try:
            body = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return ()
        if not isinstance(body, dict) or body.get("format") != _FORMAT:
            return ()
        listed = body.get("devices")
        return tuple(filter(None, map(_entry, listed if isinstance(listed, list) else [])))

    def find(self, entry: Entry) -> Entry | None:
        """Return the verdict with the key of `entry`."""
        return next((each for each in self.entries() if each.key == entry.key), None)

    def note(self, entry: Entry) -> None:
        """Write a verdict down in the place of an earlier one."""
        with self._lock:
            self._write([*(each for each in self.entries() if each.key != entry.key), entry])

    def forget(self, provider: str, device: str) -> None:
        """Drop every verdict on a device, whatever its driver and model."""
        with self._lock:
            self._write([e for e in self.entries() if (e.provider, e.device) != (provider, device)])

    def _write(self, entries: list[Entry]) -> None:
        body = {"format": _FORMAT, "devices": [asdict(each) for each in entries]}
        with suppress(OSError):
            write_atomically(self._path, json.dumps(body, indent=1).encode())


def _entry(body: Any) -> Entry | None:
    """Return the entry, or None where a field is missing or of another type."""
    if not isinstance(body, dict) or body.keys() != {field.name for field in fields(Entry)}:
        return None
    speed = body["tokens_per_s"]
    texts = [value for name, value in body.items() if name != "tokens_per_s"]
    if not isinstance(speed, int | float) or not all(isinstance(text, str) for text in texts):
        return None
    return Entry(**body)
