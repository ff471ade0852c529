"""Models of a hub that Snug knows by name: what they are and what they are good at.

Data in `resources/catalog.json`. What a hub alone can say (files, sizes, hashes, the commit) is not
in it and is read when a person asks for the model; each other field says where it was read, or that
nobody checked it.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from app.models import catalog, language_names
from app.models.catalog import CatalogBroken

Quality = Literal["simple", "good", "very good"]

UNCHECKED = "unchecked"
_SECTION = "hub"
_ADDRESS = re.compile(r"https://\S+")
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
_REPOSITORY = re.compile(rf"{_PART}/{_PART}")
_PASTED = re.compile(rf"(?:https?://)?(?:www\.)?[a-z0-9.-]+\.[a-z]+/({_PART}/{_PART})(?:[/?#].*)?")
_OF_THE_HUB_ALONE = frozenset(
    ("sha256", "commit", "revision", "bytes", "file_bytes", "disk_bytes", "fetch_bytes", "files")
)
_NEED_NO_SOURCE = frozenset(("id", "title", "folder", "about", "quality", "not_for", "sources"))
# Weights of 4 bits with their scales, and embeddings of 8 or more: published folders come to this.
_BYTES_PER_WEIGHT = 0.75
_KV_PARTS, _KV_NUMBER_BYTES = 2, 4


@dataclass(frozen=True, slots=True)
class HubEntry:
    """A model of a hub.

    Attributes:
        repository: `owner/name`.
        folder: The folder of the repository that holds this model's variants; empty for all of it.
        about: What an office user should know before fetching it.
        quality: How good its answers are for its kind, in the words of the window.
        licence: As the hub spells it, such as apache-2.0.
        languages: ISO 639-1 codes.
        sources: Field to the address where it was read, or `unchecked`.
    """

    id: str
    title: str
    repository: str
    folder: str
    about: str
    quality: Quality
    good_for: tuple[str, ...]
    not_for: tuple[str, ...]
    languages: tuple[str, ...]
    licence: str
    is_gated: bool
    parameters: int
    architecture: str
    context_tokens: int
    layers: int
    kv_heads: int
    head_size: int
    sources: Mapping[str, str]

    @property
    def kv_bytes_per_token(self) -> int:
        """Memory that one token of context takes, with numbers of 4 bytes."""
        return self.layers * self.kv_heads * self.head_size * _KV_PARTS * _KV_NUMBER_BYTES

    @property
    def about_bytes(self) -> int:
        """What its weights take about; the hub says exactly, once it is asked."""
        return int(self.parameters * _BYTES_PER_WEIGHT)


@cache
def hub_entries() -> tuple[HubEntry, ...]:
    """Return the models of a hub that Snug knows, the smallest first."""
    return parse(catalog.document())


def parse(document: Any) -> tuple[HubEntry, ...]:
    """Return the hub's entries of a catalog document.

    Raises:
        CatalogBroken: A field is missing, of the wrong type, without a source, or the hub's alone.
    """
    items = document.get(_SECTION) if isinstance(document, dict) else None
    if not isinstance(items, list):
        raise CatalogBroken(_SECTION)
    found = tuple(_entry(item) for item in items)
    if len({entry.id for entry in found}) != len(found):
        raise CatalogBroken("two models share an id")
    return tuple(sorted(found, key=lambda entry: entry.parameters))


def search(text: str, entries: Sequence[HubEntry]) -> tuple[HubEntry, ...]:
    """Return the entries in which every word of `text` begins a word, in their own order."""
    return tuple(entry for entry in entries if matches(text, _about(entry)))


def matches(text: str, about: str) -> bool:
    """Say whether every word of `text` begins a word of `about`, without case and accents."""
    plain = _plain(about)
    known = {*re.findall(r"[\w.]+", plain), *re.findall(r"[\w.-]+", plain)}
    return all(any(one.startswith(word) for one in known) for word in _plain(text).split())


def repository_of(text: str) -> str:
    """Return the `owner/name` that was typed or pasted with its address; empty for none."""
    text = text.strip()
    if _REPOSITORY.fullmatch(text):
        return text
    pasted = _PASTED.fullmatch(text)
    return pasted[1] if pasted else ""


def _about(entry: HubEntry) -> str:
    return " ".join(
        (
            *(entry.id, entry.title, entry.repository, entry.about, entry.licence, entry.quality),
            *(*entry.good_for, *entry.languages, *map(language_names.name, entry.languages)),
        )
    )


def _plain(text: str) -> str:
    """Return a text without the difference of case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _entry(item: Any) -> HubEntry:
    if not isinstance(item, dict):
        raise CatalogBroken(_SECTION)
    if invented := _OF_THE_HUB_ALONE & item.keys():
        raise CatalogBroken(f"{', '.join(sorted(invented))}: only the hub can say that")
    fields = catalog.Fields(item)
    sources = item.get("sources")
    if not isinstance(sources, dict):
        raise CatalogBroken("sources")
    for name in item.keys() - _NEED_NO_SOURCE:
        source = sources.get(name)
        if source != UNCHECKED and not (isinstance(source, str) and _ADDRESS.fullmatch(source)):
            raise CatalogBroken(f"{name}: no source")
    if item.get("quality") not in ("simple", "good", "very good"):
        raise CatalogBroken("quality")
    folder, is_gated = item.get("folder"), item.get("is_gated")
    if not isinstance(folder, str) or not isinstance(is_gated, bool):
        raise CatalogBroken("folder or is_gated")
    return HubEntry(
        id=fields.id(),
        title=fields.text("title"),
        repository=fields.matching("repository", _REPOSITORY),
        folder=folder,
        about=fields.text("about"),
        quality=item["quality"],
        good_for=fields.texts("good_for"),
        not_for=fields.texts("not_for"),
        languages=fields.texts("languages"),
        licence=fields.text("licence"),
        is_gated=is_gated,
        parameters=fields.positive("parameters"),
        architecture=fields.text("architecture"),
        context_tokens=fields.positive("context_tokens"),
        layers=fields.positive("layers"),
        kv_heads=fields.positive("kv_heads"),
        head_size=fields.positive("head_size"),
        sources=dict(sources),
    )
