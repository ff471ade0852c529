"""Gets a catalog model's original file: its parts fetched or given, joined and proven.

One part at a time: fetched, its bytes appended to the file, its wheel deleted. So what lies on the
disk at once is the file and one wheel, and whatever ends the program, the next start goes on at the
part where it stopped.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.errors import NoSpace, PartsMissing, SourceMismatch
from app.models import package_index, wheels
from app.models.catalog import CatalogEntry, Part
from app.models.joined_file import JoinedFile
from app.models.stopping import Stop
from app.models.workspace import Workspace

Stage = Literal["space", "fetching", "joining", "checking", "converting"]
Progress = Callable[[Stage, int, int], None]

_SPARE_BYTES = 64_000_000
_ATTEMPTS = 2
_NAMED_PARTS = 3


@dataclass(frozen=True, slots=True)
class GivenWheels:
    """Wheels that a person chose, by the part they hold; they are read and left where they are."""

    by_part: Mapping[Part, Path]


def fetch_raw(
    entry: CatalogEntry, target: Path, *, downloads: Path, progress: Progress, stop: Stop
) -> None:
    """Fetch the original GGUF file of `entry` to `target` and convert nothing.

    For what needs the file itself, such as the tests' starter: `snug models fetch starter FILE`.
    Goes on where an earlier call stopped; `target` appears only when it is complete and proven.

    Raises:
        DownloadError: As `obtain`.
        Cancelled: `stop` was asked for.
        OSError: A folder cannot be written.
    """
    workspace = Workspace(downloads, entry.id)
    with workspace.claimed():
        original = obtain(entry, workspace, progress=progress, stop=stop)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(original, beside := target.with_name(f"{target.name}.partial"))
        beside.replace(target)
        workspace.clear()


def obtain(
    entry: CatalogEntry,
    workspace: Workspace,
    *,
    progress: Progress,
    stop: Stop,
    given: GivenWheels | None = None,
    later_bytes: int = 0,
) -> Path:
    """Return the original file of `entry`, complete and proven, in its claimed workspace.

    With `given`, the parts come from these wheels and no network is used. `later_bytes` is the room
    that will be needed besides once the file is there.

    Raises:
        NoSpace: Too little room, known before the first byte where possible.
        PartsMissing: `given` lacks a part that is not yet in the file.
        SourceMismatch: The parts joined are not the pinned file; they are deleted.
        DownloadError: A part could not be fetched.
        Cancelled: `stop` was asked for; what has been joined stays.
        OSError: The folder cannot be written.
    """
    joined = JoinedFile(workspace.original, entry.parts)
    progress("space", 0, 0)
    _check_room(entry, joined, fetches=given is None, later_bytes=later_bytes)
    joined.resume(stop, lambda done, total: progress("checking", done, total))
    if given is not None:
        _check_complete(entry, joined, given)
    _Joiner(entry, joined, workspace, progress=progress, stop=stop, given=given).run()
    if joined.sha256 != entry.sha256:
        joined.path.unlink()
        raise SourceMismatch(source=entry.title)
    return joined.path


class _Joiner:
    """Appends the parts that are not there yet, and knows how far it is."""

    def __init__(
        self,
        entry: CatalogEntry,
        joined: JoinedFile,
        workspace: Workspace,
        *,
        progress: Progress,
        stop: Stop,
        given: GivenWheels | None,
    ) -> None:
        self._entry = entry
        self._joined = joined
        self._workspace = workspace
        self._progress = progress
        self._stop = stop
        self._given = given

    def run(self) -> None:
        for part in self._entry.parts[self._joined.part_count :]:
            self._stop.check()
            if self._given is None:
                self._fetch_and_append(part)
            else:
                self._append_given(part, self._given.by_part[part])

    def _append_given(self, part: Part, wheel: Path) -> None:
        done, total = self._joined.size_bytes, self._entry.file_bytes

        def on_bytes(count: int) -> None:
            nonlocal done
            done += count
            self._progress("joining", done, total)

        try:
            self._joined.append(wheels.read_part(wheel, part), stop=self._stop, on_bytes=on_bytes)
        except wheels.WheelDamaged as error:
            raise SourceMismatch(source=wheel.name) from error

    def _fetch_and_append(self, part: Part) -> None:
        before = sum(part.fetch_bytes for part in self._entry.parts[: self._joined.part_count])
        for attempt in range(_ATTEMPTS):
            wheel = self._wheel_left_over(part) if attempt == 0 else None
            if wheel is None:
                wheel = package_index.fetch(
                    part,
                    self._workspace.wheel,
                    stop=self._stop,
                    on_bytes=lambda done: self._progress(
                        "fetching", before + min(done, part.fetch_bytes), self._entry.fetch_bytes
                    ),
                )
            self._progress("fetching", before + part.fetch_bytes, self._entry.fetch_bytes)
            try:
                self._joined.append(wheels.read_part(wheel, part), stop=self._stop)
            except wheels.WheelDamaged:
                continue
            shutil.rmtree(self._workspace.wheel, ignore_errors=True)
            return
        shutil.rmtree(self._workspace.wheel, ignore_errors=True)
        raise SourceMismatch(source=part.requirement)

    def _wheel_left_over(self, part: Part) -> Path | None:
        """Return a wheel that an earlier, killed run fetched and did not get to append."""
        for wheel in sorted(self._workspace.wheel.glob("*.whl")):
            if wheels.holds(wheel, part):
                return wheel
        return None


def _check_complete(entry: CatalogEntry, joined: JoinedFile, given: GivenWheels) -> None:
    missing = [
        part.package for part in entry.parts[joined.part_count :] if part not in given.by_part
    ]
    if missing:
        named = ", ".join(missing[:_NAMED_PARTS]) + (", …" if len(missing) > _NAMED_PARTS else "")
        raise PartsMissing(model=entry.title, missing=named, count=len(missing))


def _check_room(
    entry: CatalogEntry, joined: JoinedFile, *, fetches: bool, later_bytes: int
) -> None:
    one_wheel = max(part.fetch_bytes for part in entry.parts) if fetches else 0
    joining = entry.file_bytes - joined.stored_bytes()
    check_room(joined.path.parent, joining + max(one_wheel, later_bytes))


def check_room(folder: Path, needed_bytes: int) -> None:
    """Raise NoSpace unless the disk of `folder` has `needed_bytes` and a little more."""
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes + _SPARE_BYTES:
        raise NoSpace(needed_bytes=needed_bytes + _SPARE_BYTES, free_bytes=free_bytes)
