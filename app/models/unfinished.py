"""Downloads that were paused, cut or killed, as far as the disk tells; nothing else is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.models.catalog import CatalogEntry
from app.models.hub import obtaining
from app.models.joined_file import JoinedFile
from app.models.sources import CatalogSource, HubSource
from app.models.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A model of which some bytes are here.

    Attributes:
        id: What it will be called.
        title: What a person calls it.
        source: What to add to go on.
        is_running: Whether this or another program is fetching it now.
    """

    id: str
    title: str
    done_bytes: int
    total_bytes: int
    source: CatalogSource | HubSource
    is_running: bool


def unfinished(downloads: Path, entries: Sequence[CatalogEntry]) -> tuple[Unfinished, ...]:
    """Return what can go on, by id; reads the disk."""
    return tuple(sorted((*_catalog(downloads, entries), *_hub(downloads)), key=lambda u: u.id))


def _catalog(downloads: Path, entries: Sequence[CatalogEntry]) -> Iterator[Unfinished]:
    for entry in entries:
        workspace = Workspace(downloads, entry.id)
        done_bytes = JoinedFile(workspace.original, entry.parts).stored_bytes()
        is_running = workspace.is_claimed()
        if done_bytes or is_running:
            source = CatalogSource(entry)
            yield Unfinished(
                entry.id, entry.title, done_bytes, entry.file_bytes, source, is_running
            )


def _hub(downloads: Path) -> Iterator[Unfinished]:
    if not downloads.is_dir():
        return
    for folder in downloads.iterdir():
        workspace = Workspace(downloads, folder.name)
        if not folder.is_dir() or (record := obtaining.read_record(workspace)) is None:
            continue
        yield Unfinished(
            folder.name,
            record.source.repository,
            obtaining.came_bytes(workspace, record),
            record.variant.bytes,
            record.source,
            workspace.is_claimed(),
        )
