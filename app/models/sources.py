"""What a person gave to be added, told by its content and not by its file name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import SourceUnknown
from app.models import wheels
from app.models.catalog import CatalogEntry, Part
from app.models.hub_catalog import HubEntry
from app.models.onnx_folder import CONFIG_NAME
from app.models.pack.reading import is_pack

_GGUF_MAGIC = b"GGUF"
_ZIP_MAGIC = b"PK\x03\x04"
_WHEEL_PATTERN = "*.whl"


@dataclass(frozen=True, slots=True)
class CatalogSource:
    """A catalog model; without `given`, its parts are fetched."""

    entry: CatalogEntry
    given: Mapping[Part, Path] | None = None


@dataclass(frozen=True, slots=True)
class GgufSource:
    """A GGUF file.

    Attributes:
        name: What another program calls it; empty takes what the file says.
    """

    file: Path
    name: str = ""


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A model folder for ONNX Runtime GenAI."""

    folder: Path


@dataclass(frozen=True, slots=True)
class HubSource:
    """A model of a hub.

    Attributes:
        repository: `owner/name`.
        revision: A branch, a tag or a commit.
        variant: The `Variant.name` to fetch; None chooses the best one for this machine.
        folder: The repository's folder to choose in; empty for all of it.
        model_id: What to call it; empty makes an id of the repository's name.
    """

    repository: str
    revision: str = "main"
    variant: str | None = None
    folder: str = ""
    model_id: str = ""


@dataclass(frozen=True, slots=True)
class PackSource:
    """A model pack: one file with a model, its manifest, licence and checksums."""

    file: Path


Source = CatalogSource | GgufSource | FolderSource | HubSource | PackSource


def recognize(
    source: str | Sequence[Path],
    entries: Sequence[CatalogEntry],
    hub_entries: Sequence[HubEntry] = (),
) -> Source:
    """Return what `source` is: the id of a catalog model, or one or more paths.

    Raises:
        SourceUnknown: It is none of what Snug can add.
    """
    if isinstance(source, str):
        for entry in entries:
            if entry.id == source:
                return CatalogSource(entry)
        for known in hub_entries:
            if known.id == source:
                return HubSource(known.repository, folder=known.folder, model_id=known.id)
        return _from_paths([Path(source)], entries)
    return _from_paths(list(source), entries)


def _from_paths(paths: list[Path], entries: Sequence[CatalogEntry]) -> Source:
    if not paths:
        raise SourceUnknown(source="")
    if len(paths) == 1 and (path := paths[0]).is_dir():
        if (path / CONFIG_NAME).exists():
            return FolderSource(path)
        paths = sorted(path.glob(_WHEEL_PATTERN))
        if not paths:
            raise SourceUnknown(source=path.name)
    if len(paths) == 1 and _magic(paths[0]) == _GGUF_MAGIC:
        return GgufSource(paths[0])
    if len(paths) == 1 and is_pack(paths[0]):
        return PackSource(paths[0])
    return _from_wheels(paths, entries)


def _from_wheels(paths: Sequence[Path], entries: Sequence[CatalogEntry]) -> CatalogSource:
    found: dict[CatalogEntry, dict[Part, Path]] = {}
    for path in paths:
        for entry, part in _parts_in(path, entries):
            found.setdefault(entry, {})[part] = path
    if len(found) != 1:
        raise SourceUnknown(source=", ".join(path.name for path in paths[:2]))
    ((entry, by_part),) = found.items()
    return CatalogSource(entry, by_part)


def _parts_in(path: Path, entries: Sequence[CatalogEntry]) -> tuple[tuple[CatalogEntry, Part], ...]:
    if _magic(path) != _ZIP_MAGIC:
        raise SourceUnknown(source=path.name)
    try:
        parts = wheels.find_parts(path, entries)
    except wheels.WheelDamaged as error:
        raise SourceUnknown(source=path.name) from error
    if not parts:
        raise SourceUnknown(source=path.name)
    return parts


def _magic(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise SourceUnknown(source=path.name) from error
