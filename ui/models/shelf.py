"""What is on disk and what can be had, as the window shows it; read off the GUI thread."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.models.catalog import CatalogEntry

if TYPE_CHECKING:
    from app.models.add_job import AddJob
    from app.models.fit import Fit, Machine
    from app.models.found.values import FoundModel
    from app.models.hub.values import RemoteModel
    from app.models.hub_catalog import HubEntry
    from app.models.installed import InstalledModel, ModelProblem
    from app.models.runner_view import RunnerView
    from app.models.sources import Source
    from app.models.unfinished import Unfinished
    from inference.errors import Fact


# Slower than this, a person waits for the model and not the other way round.
_STEADY_TOKENS_PER_S = 8.0


class Tokens(Protocol):
    """Access tokens for hubs; each method may wait for a person."""

    def load(self, endpoint: str) -> str:
        """Return the token for a hub, or empty."""
        ...

    def save(self, endpoint: str, token: str) -> None:
        """Keep a token."""
        ...

    def forget(self, endpoint: str) -> None:
        """Delete a token."""
        ...


class HubShelves(Protocol):
    """A service that can ask a hub."""

    @property
    def tokens(self) -> "Tokens":
        """Where access tokens are kept."""
        ...

    def hub_endpoint(self) -> str:
        """Return the address of the hub or of its mirror; reads the disk."""
        ...

    def hub_entries(self) -> "Sequence[HubEntry]":
        """Return the models of the hub that Snug knows of; reads the program's own files."""
        ...

    def look_up(self, repository: str, revision: str = "main") -> "Future[RemoteModel]":
        """Ask the hub what a repository holds."""
        ...


class FoundShelves(Protocol):
    """A service that can look at what other programs have."""

    def found(self) -> "Future[tuple[FoundModel, ...]]":
        """Return the models of other programs."""
        ...


class UndoShelves(Protocol):
    """A service that can take a removal back until the next start."""

    def undo_remove(self, model_id: str) -> Future[None]:
        """Put a model back that was removed."""
        ...


class PackShelves(Protocol):
    """A service that can write packs, and tell whose they are."""

    def vouching(self, file: Path) -> "Future[tuple[str, dict[str, Fact]]]":
        """Look who vouches for a pack: the code and the facts of what a person should know."""
        ...

    def export(self, model_id: str, file: Path, sign_with: Path | None = None) -> "AddJob":
        """Write a model and all that belongs to it into one file."""
        ...


class ModelShelves(HubShelves, FoundShelves, UndoShelves, PackShelves, Protocol):
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

    def problems(self) -> "tuple[ModelProblem, ...]":
        """Return the folders among the models that cannot be used; reads the disk."""
        ...

    def unfinished(self) -> "tuple[Unfinished, ...]":
        """Return the downloads that can go on; reads the disk."""
        ...

    def add(self, source: "str | Sequence[Path] | Source") -> "AddJob":
        """Start to add a model; returns at once."""
        ...

    def resume(self, model_id: str) -> "AddJob":
        """Go on with a download; reads the disk."""
        ...

    def discard_fetched(self, model_id: str) -> Future[None]:
        """Delete what an addition that was stopped has left."""
        ...

    def remove(self, model_id: str) -> Future[None]:
        """Take a model away."""
        ...

    def verify(
        self, model_id: str, on_progress: Callable[[int, int], None] | None = None
    ) -> Future[None]:
        """Read every byte of a model."""
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
class HubOffer:
    """A model of the hub; its variants are known only when the hub has been asked."""

    entry: "HubEntry"
    fit: "Fit"


@dataclass(frozen=True, slots=True)
class Shelf:
    """All models, here or not."""

    installed: "tuple[InstalledModel, ...]" = ()
    offers: tuple[Offer, ...] = ()
    hub: tuple[HubOffer, ...] = ()
    unfinished: "tuple[Unfinished, ...]" = ()
    problems: "tuple[ModelProblem, ...]" = ()

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
    return Shelf(
        service.installed(),
        offers,
        _hub(service, machine),
        service.unfinished(),
        service.problems(),
    )


def model_in_use(service: ModelShelves, runner: InUse) -> "InstalledModel | None":
    """Return the model that answers, or the first one there is; reads the disk."""
    models = service.installed()
    model_id = runner.view().model_id
    return next((model for model in models if model.id == model_id), models[0] if models else None)


def _hub(service: ModelShelves, machine: "Machine") -> tuple[HubOffer, ...]:
    """Return the hub's models that Snug knows of, those that run well here first."""
    from app.models.fit import judge_hub  # noqa: PLC0415 - as above

    offers = [HubOffer(entry, judge_hub(entry, machine)) for entry in service.hub_entries()]
    return tuple(sorted(offers, key=_rank))


def _rank(offer: HubOffer) -> tuple[int, bool, int, int]:
    """Order what runs well before what does not, then by its answers, then by its size."""
    verdicts, qualities = ("fits", "tight", "too_big"), ("very good", "good", "simple")
    tokens_per_s = offer.fit.tokens_per_s
    is_slow = tokens_per_s is not None and tokens_per_s < _STEADY_TOKENS_PER_S
    return (
        verdicts.index(offer.fit.verdict),
        is_slow,
        qualities.index(offer.entry.quality),
        offer.entry.parameters,
    )
