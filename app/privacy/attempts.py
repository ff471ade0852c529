"""The network log: one JSON object a line, of bounded size, written by several processes at once.

It names hosts, and neither addresses of pages nor anything a person wrote. Writing it never fails
loudly: it happens inside an audit hook, and a full disk must not turn into another kind of error.
"""

import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class NetworkAttempt:
    """One attempt to reach the network.

    Attributes:
        time_s: Seconds since 1970, UTC.
        process: What the process was for that tried, such as `host`.
        purpose: What was tried, or what a person had asked for.
        target: The host's name or number.
    """

    time_s: float
    process: str
    purpose: str
    target: str
    allowed: bool


class AttemptLog:
    """Appends attempts to a file, which is opened once.

    Opening early matters in a child that may open nothing later. Where the folder does not exist
    yet, the first attempt makes it: no folder should appear because a program was started.
    """

    def __init__(self, path: Path, *, process: str, max_bytes: int = _MAX_BYTES) -> None:
        self._path = path
        self._process = process
        self._max_bytes = max_bytes
        self._descriptor: int | None = None
        # The hook may interrupt itself, when a signal's handler connects somewhere.
        self._lock = threading.RLock()
        with suppress(OSError):
            self._open()

    def append(self, purpose: str, target: str, allowed: bool) -> None:
        """Write one attempt; an OSError is swallowed."""
        attempt = NetworkAttempt(round(time.time(), 3), self._process, purpose, target, allowed)
        line = json.dumps(asdict(attempt), ensure_ascii=True) + "\n"
        with self._lock, suppress(OSError):
            if self._descriptor is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._open()
            if self._descriptor is not None and self._has_room(self._descriptor):
                os.write(self._descriptor, line.encode("ascii"))

    def close(self) -> None:
        """Close the file; the next attempt opens it again."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def _open(self) -> None:
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def _has_room(self, descriptor: int) -> bool:
        """Turn the page when it is full; where that is not possible, write no more."""
        if os.fstat(descriptor).st_size < self._max_bytes:
            return True
        self.close()
        with suppress(FileNotFoundError):
            # Another process may have turned it already.
            if self._path.stat().st_size >= self._max_bytes:
                self._path.replace(_page_before(self._path))
        self._open()
        return True


def read_attempts(path: Path) -> list[NetworkAttempt]:
    """Return what the log at `path` and the page before it hold, oldest first.

    Lines that are not attempts, such as one that a full disk cut short, are passed over.
    """
    attempts = []
    for page in (_page_before(path), path):
        with suppress(FileNotFoundError):
            for line in page.read_text("utf-8", "replace").splitlines():
                if (attempt := _parse(line)) is not None:
                    attempts.append(attempt)
    return attempts


def _page_before(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _parse(line: str) -> NetworkAttempt | None:
    try:
        body: Any = json.loads(line)
        return NetworkAttempt(
            float(body["time_s"]),
            str(body["process"]),
            str(body["purpose"]),
            str(body["target"]),
            bool(body["allowed"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
