"""GPT4All: GGUF files below its downloads folder; see `homes` for sources.

`modellist.cpp` walks the folder with what is below it and marks downloads that have not ended by
their name.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from app.models.found import reading
from app.models.found.homes import Place
from app.models.found.lm_studio import gguf_candidates
from app.models.found.values import Candidate

_DEPTH = 2
_UNFINISHED = "incomplete-"
_MODEL_PATH = re.compile(r"^modelPath=(.+)$", re.MULTILINE)
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{1,4})")


def candidates(place: Place) -> Iterator[Candidate]:
    """Yield the models of GPT4All."""
    for folder in dict.fromkeys((*place.folders, *_named(place.settings))):
        for found in gguf_candidates("GPT4All", folder, depth=_DEPTH):
            if not found.file.name.startswith(_UNFINISHED):
                yield found


def _named(settings: tuple[Path, ...]) -> Iterator[Path]:
    r"""Yield the folders that Qt's ini files name: quoted if need be, `\\` and `\x..` escaped."""
    for file in settings:
        if found := _MODEL_PATH.search(reading.text(file)):
            value = found[1].strip().strip('"').replace("\\\\", "/")
            plain = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), value)
            if named := reading.folder(plain):
                yield named
