"""A pack becomes a model in its place, or leaves nothing that looks like one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import AddBusy, PackDamaged, SignatureNeeded
from app.models.adding_pack import PackAdder
from app.models.catalog import entries
from app.models.installed import InstalledModel, InstalledModels
from app.models.pack import exporting
from app.models.pack.policy import Policy
from app.models.pack.trust import Trust, TrustedKey
from app.models.sources import PackSource
from app.models.task import Task
from app.models.workspace import Workspace
from app.paths import Paths
from tests.app.models.pack.conftest import Key

OPEN = Trust(Policy())

# Installs and stops for good in the middle of the second file.
HALF = """
import sys, threading
from pathlib import Path
from app.models.adding_pack import PackAdder
from app.models.installed import InstalledModels
from app.models.pack.policy import Policy
from app.models.pack.trust import Trust
from app.models.sources import PackSource
from app.models.task import Task
from app.paths import Paths

def report(stage, done, total):
    if stage == "joining" and done:
        print("half", flush=True)
        threading.Event().wait()

pack, data = Path(sys.argv[1]), Paths(Path(sys.argv[2]))
installed = InstalledModels(data.models, lambda: ())
adder = PackAdder(installed, data.downloads, lambda: Trust(Policy()))
adder.add(PackSource(pack), Task(report))
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


@pytest.fixture
def installed(paths: Paths) -> InstalledModels:
    return InstalledModels(paths.models, entries)


def add(file: Path, paths: Paths, trust: Trust = OPEN) -> str:
    installed = InstalledModels(paths.models, entries)
    return PackAdder(installed, paths.downloads, lambda: trust).add(PackSource(file), Task())


def exported(model: InstalledModel, tmp_path: Path, key: Key | None = None) -> Path:
    file = tmp_path / "model.snugpack"
    exporting.export(model, file, sign_with=key.file if key else None, task=Task())
    return file


def test_a_pack_is_installed_once(
    model: InstalledModel, paths: Paths, installed: InstalledModels, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    assert [add(file, paths) for _ in range(2)] == ["tiny", "tiny"]
    assert [found.id for found in installed.all()] == ["tiny"]
    installed.verify("tiny")
    assert not list(paths.downloads.glob("*/*"))


def test_another_model_of_the_name_gets_a_number(
    model: InstalledModel, paths: Paths, installed: InstalledModels, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    add(file, paths)
    (installed.folder / "tiny").rename(installed.folder / "mine")
    (installed.folder / "tiny").mkdir()
    assert add(file, paths) == "mine"
    (installed.folder / "mine" / "tokenizer.json").unlink()
    assert add(file, paths) == "tiny-2"


@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_ids_of_the_catalog_are_for_trusted_signers(
    model: InstalledModel, paths: Paths, key: Key, tmp_path: Path, is_trusted: bool
) -> None:
    folder = tmp_path / "from" / "starter"
    folder.parent.mkdir()
    folder.symlink_to(model.folder, target_is_directory=True)
    file = exported(InstalledModels(folder.parent).get("starter"), tmp_path, key)
    trust = Trust(Policy(), (TrustedKey(key.public),)) if is_trusted else OPEN
    assert add(file, paths, trust) == ("starter" if is_trusted else "starter-2")


def test_what_the_policy_refuses_is_refused_although_it_is_here_already(
    model: InstalledModel, paths: Paths, key: Key, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    add(file, paths)
    with pytest.raises(SignatureNeeded):
        add(file, paths, Trust(Policy(frozenset((key.public,)), False, False)))


def test_a_damaged_pack_leaves_nothing(
    model: InstalledModel, paths: Paths, installed: InstalledModels, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    body = bytearray(file.read_bytes())
    body[-1] ^= 1
    file.write_bytes(body)
    with pytest.raises(PackDamaged):
        add(file, paths)
    assert (installed.all(), installed.problems()) == ((), ())
    assert not list(paths.downloads.glob("*/*"))


def test_a_pack_that_is_being_added_is_left_alone(
    model: InstalledModel, paths: Paths, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    with Workspace(paths.downloads, "tiny").claimed(), pytest.raises(AddBusy):
        add(file, paths)


def test_a_killed_install_leaves_no_model_and_the_next_one_is_whole(
    model: InstalledModel, paths: Paths, installed: InstalledModels, tmp_path: Path
) -> None:
    file = exported(model, tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(file), str(paths.data)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    assert (installed.all(), installed.problems()) == ((), ())
    assert add(file, paths) == "tiny"
    installed.verify("tiny")
