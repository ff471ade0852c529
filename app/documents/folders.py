"""Finds the files of folders that a person has chosen."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.documents.values import LeftOut


def expand(paths: Iterable[Path]) -> Iterator[Path | LeftOut]:
    """Yield the files in `paths`, folders followed to their ends, in the order of their names.

    Inside folders hidden files are skipped without a word; links, pipes and devices as `LeftOut`.
    A path that is no folder comes as it is, for its reader to judge.
    """
    for path in paths:
        if path.is_dir():
            yield from _inside(path)
        else:
            yield path


def _inside(folder: Path) -> Iterator[Path | LeftOut]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: (entry.name.casefold(), entry.name))
    except OSError:
        yield LeftOut("folder_left_out", folder.name)
        return
    for entry in found:
        if entry.name.startswith("."):
            continue
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except OSError:  # it went away in between
            continue
        if stat.S_ISDIR(mode):
            yield from _inside(Path(entry.path))
        elif stat.S_ISREG(mode):
            yield Path(entry.path)
        else:
            yield LeftOut("link_left_out", entry.name)
