"""How well a hub's model, known only by a few numbers, fits this machine; off the GUI thread."""

from typing import TYPE_CHECKING

from app.models import fit
from app.models.catalog import CatalogEntry

if TYPE_CHECKING:
    from app.models.fit import Fit, Machine
    from app.models.hub_catalog import HubEntry


def judge_bytes(weights_bytes: int, machine: "Machine", entry: "HubEntry | None" = None) -> "Fit":
    """Return the verdict on weights of this size; `entry` says what else is known of the model."""
    stand_in = CatalogEntry(
        id="hub",
        title="",
        name="",
        about="",
        good_for=(),
        not_for=(),
        languages=(),
        summaries=(),
        licence="",
        architecture="",
        quantization="",
        parameters=entry.parameters if entry else 0,
        context_tokens=entry.context_tokens if entry else 0,
        kv_bytes_per_token=entry.kv_bytes_per_token if entry else 0,
        sha256="",
        file_bytes=0,
        disk_bytes=weights_bytes,
        parts=(),
    )
    return fit.judge(stand_in, machine)
