"""Names of files as a hub tells them, which nobody may trust.

A repository's listing decides where bytes are written, so each name is held against the rules of
all systems at once: a folder that is fetched here may be carried to another machine.
"""

import re
import unicodedata
from collections.abc import Iterable

from app.errors import ListingUnsafe

# Below the folder of a fetch this is ours.
PARTS_FOLDER = ".parts"

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³"))
)
_MAX_NAME_BYTES = 255
_MAX_PATH_CHARACTERS = 1024
_SHOWN_CHARACTERS = 80


def check(paths: Iterable[str]) -> None:
    """Raise ListingUnsafe for a path that could leave its folder or means more to a system."""
    for path in paths:
        parts = path.split("/")
        if len(path) > _MAX_PATH_CHARACTERS or not all(_is_safe(part) for part in parts):
            raise _unsafe(path)
        if parts[0].casefold() == PARTS_FOLDER:
            raise _unsafe(path)


def check_together(paths: Iterable[str]) -> None:
    """Raise ListingUnsafe where two of the paths are one file, or one lies below the other.

    Some systems tell neither case apart nor how an accent is composed.
    """
    known: dict[str, str] = {}
    for path in paths:
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
        if folded in known:
            raise _unsafe(path)
        known[folded] = path
    for folded, path in known.items():
        parts = folded.split("/")
        if any("/".join(parts[:count]) in known for count in range(1, len(parts))):
            raise _unsafe(path)


def _is_safe(part: str) -> bool:
    if part in ("", ".", "..") or part[-1] in ". " or part[0] == " " or _FORBIDDEN.search(part):
        return False
    try:
        length_bytes = len(part.encode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return (
        length_bytes <= _MAX_NAME_BYTES and part.split(".", 1)[0].rstrip().lower() not in _DEVICES
    )


def _unsafe(path: str) -> ListingUnsafe:
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in path)
    return ListingUnsafe(file=shown[:_SHOWN_CHARACTERS])
