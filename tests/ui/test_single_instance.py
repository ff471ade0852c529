import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.paths import Paths
from ui.single_instance import SingleInstance

HOLDER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.paths import Paths
from ui.single_instance import SingleInstance
application = QCoreApplication([])
instance = SingleInstance(Paths(Path(sys.argv[1])))
print(instance.acquire(), flush=True)
application.exec()
"""


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "data")


def test_the_second_start_raises_the_first_window(qtbot: QtBot, places: Paths) -> None:
    first, second = SingleInstance(places), SingleInstance(places)
    assert first.acquire()
    assert not second.acquire()
    with qtbot.waitSignal(first.raise_requested):
        second.request_raise()
    assert not places.raise_request.exists()
    first.release()


def test_other_files_raise_nothing(qtbot: QtBot, places: Paths) -> None:
    instance = SingleInstance(places)
    assert instance.acquire()
    with qtbot.assertNotEmitted(instance.raise_requested, wait=150):
        (places.data / "other").touch()
    instance.release()


def test_a_released_lock_can_be_taken(places: Paths) -> None:
    first, second = SingleInstance(places), SingleInstance(places)
    assert first.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_an_old_request_does_not_raise_the_next_start(qtbot: QtBot, places: Paths) -> None:
    places.data.mkdir()
    places.raise_request.touch()
    instance = SingleInstance(places)
    assert instance.acquire()
    assert not places.raise_request.exists()
    instance.release()


def test_the_lock_of_a_killed_program_is_taken_over(places: Paths) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(places.data)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline().strip() == "True"
        instance = SingleInstance(places)
        assert not instance.acquire()
        holder.kill()
    assert instance.acquire()
    instance.release()


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise there")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_does_not_keep_the_window_away(places: Paths) -> None:
    places.data.mkdir()
    places.data.chmod(0o500)
    assert SingleInstance(places).acquire()
    places.data.chmod(0o700)


def test_a_file_in_the_folders_place_does_not_keep_the_window_away(places: Paths) -> None:
    places.data.write_text("not a folder")
    assert SingleInstance(places).acquire()
