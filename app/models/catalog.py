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
    return parse(document())


@cache
def embedding_entries() -> tuple[CatalogEntry, ...]:
    """Return the models that find text by meaning; none of them is one to chat with."""
    return parse(document(), "embedding")


def document() -> Any:
    """Return the catalog as it is in the resources."""
    return json.loads(files("resources").joinpath("catalog.json").read_text(encoding="utf-8"))


def parse(document: Any, kind: Kind = "chat") -> tuple[CatalogEntry, ...]:
    """Return the entries of one kind in a catalog document.

    Raises:
        CatalogBroken: A field is missing, of the wrong type, or contradicts another.
    """
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise CatalogBroken("format")
    items = Fields(document).list("models" if kind == "chat" else kind)
    found = tuple(_entry(item, kind) for item in items)
    if len({entry.id for entry in found}) != len(found):
        raise CatalogBroken("two models share an id")
    return found


def _entry(item: Any, kind: Kind) -> CatalogEntry:
    if not isinstance(item, dict):
        raise CatalogBroken("models")
    fields = Fields(item)
    entry = CatalogEntry(
        id=fields.id(),
        title=fields.text("title"),
        name=fields.text("name"),
        about=fields.text("about"),
        good_for=fields.texts("good_for"),
        not_for=fields.texts("not_for"),
        languages=fields.texts("languages"),
        summaries=fields.texts("summaries", may_be_empty=True),
        licence=fields.text("licence"),
        architecture=fields.text("architecture"),
        quantization=fields.text("quantization"),
        parameters=fields.positive("parameters"),
        context_tokens=fields.positive("context_tokens"),
        kv_bytes_per_token=fields.positive("kv_bytes_per_token") if kind == "chat" else 0,
        sha256=fields.matching("sha256", _SHA256),
        file_bytes=fields.positive("file_bytes"),
        disk_bytes=fields.positive("disk_bytes"),
        parts=_parts(fields.list("parts")),
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
    fields = Fields(item)
    return Part(
        package=fields.text("package"),
        version=fields.text("version"),
        member=fields.text("member"),
        file_bytes=fields.positive("file_bytes"),
        fetch_bytes=0 if item.get("fetch_bytes") == 0 else fields.positive("fetch_bytes"),
    )


class Fields:
    """The fields of one object of the catalog; each method raises CatalogBroken by name."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._item = item

    def id(self) -> str:
        """Return the id, which is a good folder name as well."""
        return self.matching("id", _ID)

    def text(self, name: str) -> str:
        """Return a text that is not empty."""
        value: str = self._of(name, str)
        return value

    def list(self, name: str) -> list[Any]:
        """Return a list that is not empty."""
        value: list[Any] = self._of(name, list)
        return value

    def positive(self, name: str) -> int:
        """Return a whole number above 0."""
        value: int = self._of(name, int)
        if value < 1:
            raise CatalogBroken(name)
        return value

    def texts(self, name: str, *, may_be_empty: bool = False) -> tuple[str, ...]:
        """Return texts, none of them empty."""
        if may_be_empty and self._item.get(name) == []:
            return ()
        values = self._of(name, list)
        if not all(isinstance(value, str) and value for value in values):
            raise CatalogBroken(name)
        return tuple(values)

    def matching(self, name: str, pattern: re.Pattern[str]) -> str:
        """Return a text that is wholly of a pattern."""
        value = self.text(name)
        if not pattern.fullmatch(value):
            raise CatalogBroken(name)
        return value

    def _of(self, name: str, kind: type) -> Any:
        value = self._item.get(name)
        if type(value) is not kind or not value:
            raise CatalogBroken(name)
        return value
