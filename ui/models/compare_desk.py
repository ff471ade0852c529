"""What the dialog asks of whoever compares models."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.models.comparing_job import CompareView
    from app.models.comparing_values import Contender, Trial
    from app.models.installed import InstalledModel


class CompareWork(Protocol):
    """A comparison under way; neither method blocks."""

    def view(self) -> "CompareView":
        """Return how far it is."""
        ...

    def stop(self) -> None:
        """Ask for the end; what was measured stays."""
        ...


class CompareDesk(Protocol):
    """The part of the comparing service that the window uses."""

    def models(self) -> "tuple[InstalledModel, ...]":
        """Return what can be compared; reads the disk."""
        ...

    def device_names(self) -> tuple[str, ...]:
        """Return the devices' names; may take seconds."""
        ...

    def start(
        self, contenders: "Sequence[Contender]", trial: "Trial", document: "Path | None"
    ) -> CompareWork:
        """Begin; never blocks."""
        ...
