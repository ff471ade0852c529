"""What only a model's own folder knows of it; read off the GUI thread."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.models import catalog, licences
from inference import manifest

if TYPE_CHECKING:
    from app.models.installed import InstalledModel


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
    text = licences.own_text(model.folder) or licences.licence_text(model.licence) or ""
    return ModelRecord(facts.parameters, facts.origin, is_catalog, text)
