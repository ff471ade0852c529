"""Where Snug keeps its files: one data folder, and everything has its place in it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

DATA_DIR_VARIABLE = "SNUG_DATA_DIR"


@dataclass(frozen=True, slots=True)
class Paths:
    """The places below one data folder; nothing is created by asking for them."""

    data: Path

    @property
    def store(self) -> Path:
        """The encrypted database."""
        return self.data / "snug.db"

    @property
    def key_file(self) -> Path:
        """The store's key, where the person chose a key file."""
        return self.data / "snug.key"

    @property
    def models(self) -> Path:
        """One folder an installed model."""
        return self.data / "models"

    @property
    def pack_keys(self) -> Path:
        """Public keys of those whose model packs are trusted, as JSON."""
        return self.data / "pack-keys.json"

    @property
    def embedding(self) -> Path:
        """The embedding model, apart from the models to chat with."""
        return self.data / "embedding"

    @property
    def downloads(self) -> Path:
        """Parts of models that are still being fetched."""
        return self.data / "downloads"

    @property
    def settings(self) -> Path:
        """Settings, as JSON."""
        return self.data / "settings.json"

    @property
    def abilities(self) -> Path:
        """What the self-tests found out about each model."""
        return self.data / "abilities.json"

    @property
    def devices(self) -> Path:
        """What trials found out about each device."""
        return self.data / "devices.json"

    @property
    def bandwidth(self) -> Path:
        """How fast this machine reads memory."""
        return self.data / "bandwidth.json"

    @property
    def pasted(self) -> Path:
        """Pictures from the clipboard, as long as the window is open."""
        return self.data / "pasted"

    @property
    def network_log(self) -> Path:
        """Every attempt to reach the network."""
        return self.data / "network.log"

    @property
    def log(self) -> Path:
        """Snug's own log: no message text, no names of files."""
        return self.data / "snug.log"

    @property
    def lock(self) -> Path:
        """Held by the one window that runs."""
        return self.data / "snug.lock"

    @property
    def raise_request(self) -> Path:
        """Made by a second start, so that the first one's window comes to the front."""
        return self.data / "snug.raise"


def machine_policy() -> Path:
    """Return where an administrator can say what everybody on this machine may add."""
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData")) / "Snug" / "policy.json"
    if sys.platform == "darwin":
        return Path("/Library/Application Support/Snug/policy.json")
    return Path("/etc/snug/policy.json")


def resolve(data_dir: str | None = None) -> Paths:
    """Return the paths for `--data-dir`, else SNUG_DATA_DIR, else the system's own place."""
    chosen = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    return Paths(
        Path(chosen).expanduser().absolute()
        if chosen
        else Path(platformdirs.user_data_path("Snug", appauthor=False))
    )
