"""A whole conversation on the command line leaves no trace of a runtime's uploader.

The uploader waits some seconds before it sends, and CI=true silences it as well: so the program is
kept open for 15 s, in an environment that says nothing about CI and nothing about telemetry.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.paths import Paths
from app.privacy import network
from inference import quiet

ROOT = Path(__file__).parents[2]
KEPT_OPEN_S = 15
STRACE = ["strace", "-f", "-qq", "-e", "signal=none"]
CALLS = "trace=execve,socket,connect,bind,sendto,sendmsg,sendmmsg"

pytestmark = [pytest.mark.engine, pytest.mark.starter]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment of a person's machine: nothing in it silences anything."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"CI", "DO_NOT_TRACK", *quiet.ENVIRONMENT} and not name.startswith("XDG_")
    }
    return kept | {"HOME": str(home), "USERPROFILE": str(home), "LOCALAPPDATA": str(home)}


@pytest.fixture
def places(data_dir: Path, starter_model: Path) -> Paths:
    places = Paths(data_dir)
    places.models.mkdir(parents=True)
    shutil.copytree(starter_model, places.models / "starter", copy_function=os.link)
    return places


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    # A container may forbid it.
    tried = subprocess.run([*STRACE, "true"], capture_output=True, check=False, timeout=60)
    return tried.returncode == 0


def files_below(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def converse(command: list[str], environment: dict[str, str]) -> tuple[str, str]:
    """Ask one thing, stay for a while and go; return what was printed, and on standard error."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        try:
            program.stdin.write("Name a color.\n")
            program.stdin.flush()
            answer = program.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                program.wait(KEPT_OPEN_S)
            _, errors = program.communicate(timeout=60)
        finally:
            program.kill()
    return answer, errors


def test_a_conversation_makes_no_call_and_leaves_no_file(
    places: Paths, home: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    trace = tmp_path / "calls"
    is_traced = can_trace()
    command = [
        *([*STRACE, "-e", CALLS, "-o", str(trace)] if is_traced else []),
        *(sys.executable, "-m", "app", "--data-dir", str(places.data)),
        *("chat", "--json", "--max-tokens", "8"),
    ]
    answer, errors = converse(command, environment)
    assert '"text"' in answer, errors

    assert files_below(home) == []
    assert network.read_log(places.network_log) == []
    if is_traced:
        calls = trace.read_text()
        assert '"--child", "host"' in calls
        assert [line for line in calls.splitlines() if "AF_INET" in line] == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs the wall, so that nothing goes out")
def test_the_proof_would_see_an_uploader(home: Path, environment: dict[str, str]) -> None:
    code = "from app.privacy import walls; walls.deny_network(); import onnxruntime"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    assert files_below(home) != []
