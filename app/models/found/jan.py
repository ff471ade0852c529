r"""Jan: one folder a model, with a small description in it; see `homes` for the data folder.

`llamacpp/models/<id>/model.yml` has `model_path`, relative to the data folder or absolute where
the person imported a file of theirs, and `mmproj_path` where a model also sees pictures
(`extensions/llamacpp-extension`, `index.ts` and its tests). Before version 0.6 it was
`models/<id>/model.yml` with a list `files`, and before 0.5 `models/<id>/model.json` with
`sources`, each with a `filename` in the same folder (documentation, "Import models").
"""

import re
from collections.abc import Iterator
from pathlib import Path

from app.models.found import reading
from app.models.found.homes import Place
from app.models.found.lm_studio import gguf_candidates
from app.models.found.values import Candidate
from inference.gguf.cursor import shown

_DEPTH = 3  # an id may be publisher/repository
_PAIR = re.compile(r"^(?P<key>[a-z_]+):[ \t]*(?P<value>\S.*)?$", re.MULTILINE)
_FILES = re.compile(r"^files:[ \t]*\n[ \t]*-[ \t]+(?P<value>\S.*)$", re.MULTILINE)
_DESCRIPTIONS = ("model.yml", "model.json")


def candidates(place: Place) -> Iterator[Candidate]:
    """Yield the models of Jan."""
    for data in dict.fromkeys((*place.folders, *_named(place.settings))):
        for models in (data / "llamacpp" / "models", data / "models"):
            for folder in _folders(models):
                yield from _described(data, models, folder)


def _named(settings: tuple[Path, ...]) -> Iterator[Path]:
    for file in settings:
        if named := reading.folder(reading.json_object(file).get("data_folder")):
            yield named


def _folders(models: Path) -> Iterator[Path]:
    """Yield the folders with a description; nothing is looked for below one."""
    waiting, left = [(models, _DEPTH)], reading.MAX_ENTRIES
    while waiting and left:
        folder, more = waiting.pop()
        found = reading.entries(folder, left)
        left -= len(found)
        if folder != models and any(entry.name in _DESCRIPTIONS for entry in found):
            yield folder
        elif more:
            below = [Path(each.path) for each in found if each.is_dir(follow_symlinks=False)]
            waiting += ((path, more - 1) for path in reversed(below))


def _described(data: Path, models: Path, folder: Path) -> Iterator[Candidate]:
    name = shown(folder.relative_to(models).as_posix())
    file = _file_of_yaml(data, folder) or _file_of_json(folder)
    if file is None:
        yield from gguf_candidates("Jan", folder, depth=0)
    elif reading.identity(file):
        yield Candidate("Jan", name, file)


def _file_of_yaml(data: Path, folder: Path) -> Path | None:
    body = reading.text(folder / "model.yml")
    pairs = {found["key"]: found["value"] or "" for found in _PAIR.finditer(body)}
    listed = _FILES.search(body)
    value = pairs.get("model_path") or (listed["value"] if listed else "")
    return _below(data, _plain(value))


def _file_of_json(folder: Path) -> Path | None:
    sources = reading.json_object(folder / "model.json").get("sources")
    first = sources[0] if isinstance(sources, list) and sources else None
    name = first.get("filename") if isinstance(first, dict) else None
    if not isinstance(name, str) or not name or Path(name).name != name:
        return None
    return folder / name


def _plain(value: str) -> str:
    """Return a YAML scalar of one line without its quotes or comment."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1].replace("\\\\", "\\") if value[0] == '"' else value[1:-1]
    return value.partition(" #")[0].rstrip()


def _below(data: Path, named: str) -> Path | None:
    """Return the file; an absolute one is the person's own import, a relative one stays inside."""
    if not named or "\0" in named:
        return None
    path = Path(named)
    if path.is_absolute():
        return path
    return None if ".." in path.parts else data / path
