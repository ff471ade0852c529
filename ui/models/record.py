"""What only a model's own folder knows of it; read off the GUI thread."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from app.models import catalog
from inference import manifest

if TYPE_CHECKING:
    from app.models.installed import InstalledModel

_LONGEST_CHARACTERS = 200_000
_NAMES = ("license", "licence", "copying", "notice")


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """What the details of a model say.

    Attributes:
        parameters: How many weights it has; 0 where nobody says.
        origin: Where it came from, as its manifest says; empty where it does not.
        is_catalog: Whether it is one of Snug's own list.
        licence_text: In full; empty where it is not here.
    """

    parameters: int
    origin: str
    is_catalog: bool
    licence_text: str


def read_record(model: "InstalledModel") -> ModelRecord:
    """Read a model's manifest and licence; takes milliseconds of disk.

    Raises:
        ModelMissing: It has no manifest.
        ModelDamaged: Its manifest cannot be read.
    """
    facts = manifest.read(model.folder)
    is_catalog = any(entry.sha256 == facts.source_sha256 for entry in catalog.entries())
    text = _text_of(model.folder) or licence_text(model.licence)
    return ModelRecord(facts.parameters, facts.origin, is_catalog, text)


def licence_text(name: str) -> str:
    """Return the text of a licence that Snug carries, or empty; reads the program's own files."""
    if not name or Path(name).name != name:
        return ""
    place = files("resources").joinpath("licences", f"{name.lower()}.txt")
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _text_of(folder: Path) -> str:
    try:
        found = sorted(
            path
            for path in folder.iterdir()
            if path.name.lower().split(".")[0] in _NAMES and path.is_file()
        )
    except OSError:
        return ""
    for path in found:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                return file.read(_LONGEST_CHARACTERS)
        except OSError:
            continue
    return ""
