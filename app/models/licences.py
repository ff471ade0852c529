"""Licences of models: what they are called, where they are published, and the texts Snug carries.

Only standard texts are carried. A licence of one maker is named with the address where the maker
publishes it, because it may be changed there and must be read as it is today.
"""

from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence that models have.

    Attributes:
        id: As a hub spells it.
        address: Where it is published.
    """

    id: str
    name: str
    address: str


_KNOWN = {
    licence.id: licence
    for licence in (
        Licence("apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
        Licence("mit", "MIT License", "https://opensource.org/license/mit"),
        Licence(
            "llama3.2",
            "Llama 3.2 Community License",
            "https://github.com/meta-llama/llama-models/blob/main/models/llama3_2/LICENSE",
        ),
        Licence("gemma", "Gemma Terms of Use", "https://ai.google.dev/gemma/terms"),
    )
}
_CARRIED = ("apache-2.0", "mit")
_OWN_NAMES = ("license", "licence", "copying", "notice")
_LONGEST_CHARACTERS = 200_000


def licence(licence_id: str) -> Licence | None:
    """Return what is known of a licence, whatever the case of its id; None for nothing."""
    return _KNOWN.get(licence_id.strip().lower())


def licence_text(licence_id: str) -> str | None:
    """Return the text of a standard licence; None where Snug carries none. Reads the disk."""
    known = licence(licence_id)
    if known is None or known.id not in _CARRIED:
        return None
    return files("resources").joinpath("licences", f"{known.id}.txt").read_text(encoding="utf-8")


def own_text(folder: Path) -> str:
    """Return the text of the licence that a model brings along; empty for none. Reads the disk."""
    try:
        found = sorted(
            path
            for path in folder.iterdir()
            if path.name.lower().split(".")[0] in _OWN_NAMES and path.is_file()
        )
    except OSError:
        return ""
    for path in found:
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST_CHARACTERS)
    return ""
