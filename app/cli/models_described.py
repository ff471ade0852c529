"""All models that can be looked at, whatever they come from, in one form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.messages import readable_bytes
from app.models import catalog, language_names, measured
from app.models.bandwidth import Bandwidth
from app.models.catalog import CatalogEntry
from app.models.fit import Fit, Machine, Needs, judge, judge_hub, judge_needs, look
from app.models.hub_catalog import HubEntry, hub_entries
from app.models.installed import InstalledModel, InstalledModels
from app.paths import Paths


@dataclass(frozen=True, slots=True)
class Described:
    """A model of the catalog, of a hub, or on this disk.

    Attributes:
        repository: `owner/name`; empty where it comes from no hub.
        folder: Of the repository; empty for all of it.
        about_bytes: What its folder takes, about where it is not here.
        sources: Field to the address where it was read, or `unchecked`; empty for what is ours.
    """

    id: str
    title: str
    fit: Fit
    about_bytes: int
    licence: str
    context_tokens: int
    is_installed: bool
    name: str = ""
    repository: str = ""
    folder: str = ""
    about: str = ""
    good_for: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    parameters: int = 0
    kv_bytes_per_token: int = 0
    is_gated: bool = False
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def language_names(self) -> tuple[str, ...]:
        """Its languages in words."""
        return tuple(map(language_names.name, self.languages))

    @property
    def words(self) -> str:
        """What it is found by."""
        return " ".join(
            (
                *(self.id, self.title, self.name, self.repository, self.about, self.licence),
                *(*self.good_for, *self.languages, *self.language_names),
            )
        )

    def is_in(self, repository: str) -> bool:
        """Whether it comes from a repository; hubs do not tell case apart."""
        return bool(repository) and self.repository.casefold() == repository.casefold()

    def as_json(self) -> dict[str, Any]:
        """Return what a list of models says."""
        speed = self.fit.speed
        return {
            "id": self.id,
            "title": self.title,
            "repository": self.repository,
            "about": self.about,
            "licence": self.licence,
            "languages": self.languages,
            "parameters": self.parameters,
            "installed": self.is_installed,
            "about_bytes": self.about_bytes,
            "fit": self.fit.verdict,
            "limit": self.fit.limit,
            "tokens_per_s": {
                "least": round(speed.least, 1),
                "most": round(speed.most, 1),
                "measured": speed.is_measured,
            }
            if speed
            else None,
        }

    def details(self) -> dict[str, Any]:
        """Return what is said beside that of one model."""
        return {
            "name": self.name,
            "folder": self.folder,
            "good_for": self.good_for,
            "not_for": self.not_for,
            "gated": self.is_gated,
            "context_tokens": self.context_tokens,
            "memory_needed_bytes": self.fit.memory_needed_bytes,
            "disk_needed_bytes": self.fit.disk_needed_bytes,
            "bandwidth_bytes_per_s": round(self.fit.machine.bandwidth_bytes_per_s),
            "sources": dict(self.sources),
        }


@dataclass(frozen=True, slots=True)
class Shop:
    """What there is, and the machine that it is held against."""

    machine: Machine
    places: Paths
    installed: Mapping[str, InstalledModel]

    @classmethod
    def of(cls, places: Paths) -> "Shop":
        """Look at the disk and at the machine, which is measured the first time."""
        machine = look(places.models, Bandwidth(places.bandwidth))
        return cls(machine, places, {one.id: one for one in InstalledModels(places.models).all()})

    def all(self) -> tuple[Described, ...]:
        """Return what is installed but in no catalog, then the catalogs."""
        known = [
            *map(self._of_catalog, catalog.entries()),
            *map(self._of_hub, hub_entries()),
        ]
        ids = {one.id for one in known}
        others = (one for one in self.installed.values() if one.id not in ids)
        return (*map(self._of_disk, others), *known)

    def _measured(self, model_id: str) -> float:
        return measured.tokens_per_s(self.places.devices, model_id)

    def _of_catalog(self, entry: CatalogEntry) -> Described:
        return Described(
            id=entry.id,
            title=entry.title,
            fit=judge(entry, self.machine, self._measured(entry.id)),
            about_bytes=entry.disk_bytes,
            licence=entry.licence,
            context_tokens=entry.context_tokens,
            is_installed=entry.id in self.installed,
            name=entry.name,
            about=entry.about,
            good_for=entry.good_for,
            not_for=entry.not_for,
            languages=entry.languages,
            parameters=entry.parameters,
            kv_bytes_per_token=entry.kv_bytes_per_token,
        )

    def _of_hub(self, entry: HubEntry) -> Described:
        return Described(
            id=entry.id,
            title=entry.title,
            fit=judge_hub(entry, self.machine, measured_tokens_per_s=self._measured(entry.id)),
            about_bytes=entry.about_bytes,
            licence=entry.licence,
            context_tokens=entry.context_tokens,
            is_installed=entry.id in self.installed,
            repository=entry.repository,
            folder=entry.folder,
            about=entry.about,
            good_for=entry.good_for,
            not_for=entry.not_for,
            languages=entry.languages,
            parameters=entry.parameters,
            kv_bytes_per_token=entry.kv_bytes_per_token,
            is_gated=entry.is_gated,
            sources=entry.sources,
        )

    def _of_disk(self, model: InstalledModel) -> Described:
        needs = Needs(weights_bytes=model.disk_bytes, disk_bytes=0)
        return Described(
            id=model.id,
            title=model.title,
            fit=judge_needs(needs, self.machine, self._measured(model.id)),
            about_bytes=model.disk_bytes,
            licence=model.licence,
            context_tokens=model.context_tokens,
            is_installed=True,
        )


def size_and_speed(one: Described) -> str:
    """Say how large a model is and how fast it writes here, as far as that is known."""
    size = readable_bytes(one.about_bytes)
    about = size if one.is_installed or not one.repository else f"about {size}"
    state = ", installed" if one.is_installed else ""
    speed = one.fit.speed
    if speed is None:
        return f"{about}{state}"
    if speed.is_measured:
        return f"{about}{state}, {speed.least:.0f} tokens/s (measured)"
    return f"{about}{state}, {speed.least:.0f} to {speed.most:.0f} tokens/s expected"
