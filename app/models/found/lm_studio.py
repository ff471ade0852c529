"""LM Studio: `publisher/repository/file.gguf` below its models folder; see `homes` for sources."""

import re
from collections.abc import Iterator
from pathlib import Path

from app.models.found import reading
from app.models.found.homes import Place
from app.models.found.values import Candidate, ProgramName
from inference.errors import ModelUnsupported
from inference.gguf.cursor import shown

_DEPTH = 3  # publisher, repository and one more
_PART = re.compile(r"-(\d{5})-of-(\d{5})$")
_PROJECTOR = re.compile(r"(?:^|[-_.])mmproj(?:[-_.]|$)", re.IGNORECASE)


def candidates(place: Place) -> Iterator[Candidate]:
    """Yield the models of LM Studio."""
    for folder in dict.fromkeys((*place.folders, *_named(place.settings))):
        yield from gguf_candidates("LM Studio", folder, depth=_DEPTH)


def gguf_candidates(program: ProgramName, folder: Path, *, depth: int) -> Iterator[Candidate]:
    """Yield the GGUF files below a folder that could be models.

    What turns pictures into tokens is no model of its own and left out. A model in several files is
    named once, by its first.
    """
    for file in reading.gguf_files(folder, depth=depth):
        if _PROJECTOR.search(file.stem):
            continue
        part = _PART.search(file.stem)
        if part is None:
            yield Candidate(program, shown(file.stem), file)
        elif int(part[1]) == 1:
            error = ModelUnsupported(what=f"a model in {int(part[2])} files")
            yield Candidate(program, shown(file.stem[: part.start()]), file, error)


def _named(settings: tuple[Path, ...]) -> Iterator[Path]:
    for file in settings:
        if file.suffix == ".json":
            named = reading.folder(reading.json_object(file).get("downloadsFolder"))
            if named:
                yield named
        elif home := reading.folder(reading.text(file).strip()):
            yield home / "models"
