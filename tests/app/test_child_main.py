"""What every child process does first, seen from outside by the kernel's own word."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app import children
from app.children import Verb
from inference.child import Child
from inference.types import COMMANDS, EVENTS, Failed, LoadModel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

FILTERED = "2"


def status_of(child: Child) -> dict[str, str]:
    lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_the_host_stands_behind_its_wall_before_it_takes_a_command(
    launch: Callable[[Verb], Child],
) -> None:
    host = launch("host")
    host.connection.send_bytes(COMMANDS.encode(LoadModel(1, "nowhere")))
    assert isinstance(EVENTS.decode(host.connection.recv_bytes()), Failed)
    status = status_of(host)
    assert (status["Seccomp"], status["NoNewPrivs"]) == (FILTERED, "1")
    host.close()


@pytest.mark.parametrize("verb", ["host", "import", "document", "count", "probe"])
def test_a_child_ends_when_the_other_end_goes_away(
    launch: Callable[[Verb], Child], verb: Verb
) -> None:
    child = launch(verb)
    child.close(timeout_s=20)
    assert (child.exit_code() or 0) >= 0  # below 0 it had to be killed


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert children.command("host") == [sys.executable, "--child", "host"]
