"""What is on disk and what can be had, as the window shows it; read off the GUI thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.models.catalog import CatalogEntry

if TYPE_CHECKING:
    from app.models.add_job import AddJob
    from app.models.fit import Fit, Machine
    from app.models.installed import InstalledModel
    from app.models.runner_view import RunnerView


class ModelShelves(Protocol):
    """The part of the model service that the window uses."""

    def installed(self) -> "tuple[InstalledModel, ...]":
        """Return the usable models; reads the disk."""
        ...

    def available(self) -> tuple[CatalogEntry, ...]:
        """Return the catalog's models that are not installed; reads the disk."""
        ...

    def fetched_bytes(self, entry: CatalogEntry) -> int:
        """Return how much of a model is left of an addition that was stopped; reads the disk."""
        ...

    def add(self, source: str | Sequence[Path]) -> "AddJob":
        """Start to add a model; returns at once."""
        ...


class InUse(Protocol):
    """Says which model answers."""

    def view(self) -> "RunnerView":
        """Return what is loaded, as it is now; never blocks."""
        ...


@dataclass(frozen=True, slots=True)
class Offer:
    """A catalog model that is not here yet.

    Attributes:
        fetched_bytes: What an addition that was stopped has left of it.
    """

    entry: CatalogEntry
    fit: "Fit"
    fetched_bytes: int


@dataclass(frozen=True, slots=True)
class Shelf:
    """All models, here or not."""

    installed: "tuple[InstalledModel, ...]" = ()
    offers: tuple[Offer, ...] = ()

    @property
    def recommended(self) -> Offer | None:
        """The most capable offer that runs well here, or None where none does."""
        fitting = [offer for offer in self.offers if offer.fit.verdict == "fits"]
        return max(fitting, key=lambda offer: offer.entry.parameters, default=None)


def read_shelf(service: ModelShelves, look: "Callable[[], Machine]") -> Shelf:
    """Read the models' folder, the catalog and the machine's room; takes milliseconds of disk."""
    from app.models import fit  # noqa: PLC0415 - psutil must not delay the first paint

    machine = look()
    offers = tuple(
        Offer(entry, fit.judge(entry, machine), service.fetched_bytes(entry))
        for entry in service.available()
    )
    return Shelf(service.installed(), offers)


def model_in_use(service: ModelShelves, runner: InUse) -> "InstalledModel | None":
    """Return the model that answers, or the first one there is; reads the disk."""
    models = service.installed()
    model_id = runner.view().model_id
    return next((model for model in models if model.id == model_id), models[0] if models else None)
