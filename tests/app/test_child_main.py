"""What every child process does first, seen from outside by the kernel's own word."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app import children
from app.children import Verb
from inference.child import Child, start
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


@pytest.mark.parametrize(
    "verb", ["host", "import", "document", "count", "probe", "trial", "download"]
)
def test_a_child_ends_when_the_other_end_goes_away(
    launch: Callable[[Verb], Child], verb: Verb
) -> None:
    child = launch(verb)
    child.close(timeout_s=20)
    assert (child.exit_code() or 0) >= 0  # below 0 it had to be killed


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert children.command("host") == [sys.executable, "--child", "host"]


def test_native_chatter_stays_in_the_child_and_errors_of_python_do_not() -> None:
    code = (
        "import os, sys\n"
        "from inference.child import hush\n"
        "hush()\n"
        "os.write(1, b'chatter'); os.write(2, b'chatter')\n"
        "print('error', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("", "error\n")


def test_a_child_that_computes_ends_with_its_parent() -> None:
    code = (
        "import sys, threading\n"
        "from inference.child import connect, end_with_parent\n"
        "connection = connect(sys.argv[1])\n"
        "end_with_parent(connection)\n"
        "connection.send_bytes(b'busy')\n"
        "threading.Event().wait()\n"
    )
    busy = start([sys.executable, "-c", code])
    assert busy.connection.recv_bytes() == b"busy"
    busy.close(timeout_s=20)
    assert busy.exit_code() == 0
