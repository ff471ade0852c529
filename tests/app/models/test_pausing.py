"""One program pauses what another one fetches."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.errors import NothingToPause
from app.models import pausing
from app.models.task import Task
from app.models.workspace import Workspace

ANSWER_S = 20
_HOLDER = """
import sys
from pathlib import Path
from app.models import pausing
from app.models.task import Task
from app.models.workspace import Workspace
workspace, task = Workspace(Path(sys.argv[1]), "tiny"), Task()
with workspace.claimed(), pausing.obeying(workspace, task):
    print("fetching", flush=True)
    task.stopped.wait(20)
print("paused" if task.stopped.is_set() else "not paused", flush=True)
"""


def test_another_program_lets_go_when_asked(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "tiny")
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "fetching\n"
        assert workspace.is_claimed()
        assert pausing.ask(workspace, timeout_s=ANSWER_S)
        assert other.stdout.readline() == "paused\n"
    assert not workspace.is_claimed()
    assert not workspace.pause_wish.exists()


def test_where_nothing_is_fetched_there_is_nothing_to_pause(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "tiny")
    with pytest.raises(NothingToPause):
        pausing.ask(workspace, timeout_s=1)
    assert list(tmp_path.iterdir()) == []


def test_a_wish_of_an_earlier_day_pauses_nothing(tmp_path: Path) -> None:
    workspace, task = Workspace(tmp_path, "tiny"), Task()
    workspace.pause_wish.touch()
    with workspace.claimed(), pausing.obeying(workspace, task):
        assert not workspace.pause_wish.exists()
    assert not task.stopped.is_set()


def test_one_who_does_not_obey_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    workspace, go = Workspace(tmp_path, "tiny"), threading.Event()

    def hold() -> None:
        with workspace.claimed():
            held.set()
            go.wait(ANSWER_S)

    held = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(ANSWER_S)
    assert not pausing.ask(workspace, timeout_s=0.5)
    go.set()
    holder.join()
