"""How fast an installed model was found to write on this machine."""

from pathlib import Path

from app.models.device_trust import DeviceTrust


def tokens_per_s(devices_file: Path, model_id: str) -> float:
    """Return the speed on the fastest device that answered rightly; 0 where none was tried."""
    return max(
        (
            entry.tokens_per_s
            for entry in DeviceTrust(devices_file).entries()
            if entry.model_id == model_id and not entry.reason
        ),
        default=0.0,
    )
