"""A small installed model and a key to sign its packs with."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from app.models.installed import InstalledModel, InstalledModels
from app.models.pack import signing


@pytest.fixture
def model(tiny_model: Path) -> InstalledModel:
    """A random model of a few kilobytes, as if it were installed."""
    return InstalledModels(tiny_model.parent, lambda: ()).get(tiny_model.name)


@dataclass(frozen=True, slots=True)
class Key:
    """A private key's file, and the text of its public key."""

    file: Path
    public: str


@pytest.fixture
def key(tmp_path: Path) -> Key:
    """The team's key."""
    return Key(tmp_path / "team.pem", signing.new_key(tmp_path / "team.pem"))


@pytest.fixture
def other_key(tmp_path: Path) -> Key:
    """Somebody else's key."""
    return Key(tmp_path / "other.pem", signing.new_key(tmp_path / "other.pem"))
