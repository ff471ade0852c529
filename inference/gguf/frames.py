"""What the import process and its parent say to each other; knows no numpy."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from inference.errors import Fact
from inference.frames import Codec
from inference.manifest import Manifest

ModelKind = Literal["gguf", "embedding"]


@dataclass(frozen=True, slots=True)
class ImportModel:
    """The only command: make the model folder `folder` from the file `source`.

    Attributes:
        context_tokens: Context window to make room for; None takes a sensible one.
        kind: What the file is: a GGUF file, or the original of an embedding model.
    """

    source: str
    folder: str
    context_tokens: int | None = None
    kind: ModelKind = "gguf"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported.

    Attributes:
        folder: The finished model folder.
        folder_bytes: Bytes of all its files.
        source_sha256: Hexadecimal SHA-256 of the GGUF file.
        licence: As the file says, such as apache-2.0; empty where it does not.
    """

    folder: str
    folder_bytes: int
    name: str
    architecture: str
    parameters: int
    quantization: str
    context_tokens: int
    source_sha256: str
    licence: str


def report_of(written: Manifest, folder: Path) -> ImportReport:
    """Return what was imported, as the manifest of the finished `folder` has it."""
    return ImportReport(
        folder=str(folder),
        folder_bytes=sum(entry.bytes for entry in written.files.values()),
        name=written.name,
        architecture=written.architecture,
        parameters=written.parameters,
        quantization=written.quantization,
        context_tokens=written.context_tokens,
        source_sha256=written.source_sha256,
        licence=written.licence,
    )


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How much of the file's weights has been converted."""

    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Imported:
    """Last frame of an import that succeeded."""

    report: ImportReport


@dataclass(frozen=True, slots=True)
class ImportFailed:
    """Last frame of an import that did not; see `inference.errors`."""

    code: str
    facts: dict[str, Fact] = field(default_factory=dict)


ImportEvent: TypeAlias = ImportProgress | Imported | ImportFailed

COMMANDS = Codec((ImportModel,))
EVENTS = Codec((ImportProgress, Imported, ImportFailed))
