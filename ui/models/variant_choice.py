"""Puts together what a person chooses from once the hub has answered; off the GUI thread."""

from typing import TYPE_CHECKING

from app.models.licences import licence_text
from ui.models.shelf import HubShelves
from ui.models.variant_dialog import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models.fit import Machine
    from app.models.hub.values import RemoteModel
    from app.models.hub_catalog import HubEntry


def read_choice(
    service: HubShelves, remote: "RemoteModel", folder: str, look: "Callable[[], Machine]"
) -> Choice:
    """Return the variants of a repository, or of one folder of it, those that fit first.

    Args:
        service: Knows the hub.
        remote: What the hub said.
        folder: The folder that holds the model's variants; empty for the whole repository.
        look: Says what this machine has.

    Raises:
        KeyringLocked: The keyring stays locked.
    """
    # Not before a hub has been asked: psutil and the rest must not delay the first paint.
    from app.models.fit import judge_variant  # noqa: PLC0415
    from app.models.hub.variants import choose, variants  # noqa: PLC0415

    machine = look()
    entry = _entry(service, remote.repository, folder)
    found = variants(remote, folder)
    best = choose(found, devices=("cpu",))
    kv_bytes = entry.kv_bytes_per_token if entry else 0
    judged = tuple((one, judge_variant(one, machine, kv_bytes_per_token=kv_bytes)) for one in found)
    has_token = remote.is_gated and bool(service.tokens.load(service.hub_endpoint()))
    ordered = sorted(judged, key=lambda one: (one[0] != best, one[0].name))
    return Choice(
        remote,
        tuple(ordered),
        best.name if best else "",
        licence_text(remote.licence) or "",
        has_token,
    )


def _entry(service: HubShelves, repository: str, folder: str) -> "HubEntry | None":
    known = [one for one in service.hub_entries() if one.repository == repository]
    return next((one for one in known if one.folder == folder), known[0] if known else None)
