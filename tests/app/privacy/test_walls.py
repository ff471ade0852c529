"""The kernel's walls; each is built in a process of its own, for it stays for good."""

import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.privacy import landlock, walls
from app.privacy.walls import WallState

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

BEHIND_THE_WALL = """
import asyncio, ctypes, multiprocessing, os, socket, subprocess, sys, threading
from app.privacy import walls

libc = ctypes.CDLL(None, use_errno=True)

def c_socket(family):
    descriptor = libc.socket(family, socket.SOCK_STREAM, 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "C")
    os.close(descriptor)

def attempt(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
    return 0
"""


def behind(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_THE_WALL + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@linux
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_UNIX"])
@pytest.mark.parametrize("call", ["socket.socket", "c_socket"])
def test_no_socket_can_be_made_in_python_or_c(family: str, call: str) -> None:
    code = f"walls.deny_network(); print(attempt({call}, socket.{family}))"
    assert behind(code) == "13"  # EACCES


@linux
def test_the_wall_says_what_it_is() -> None:
    assert behind("print(walls.deny_network())") == repr(
        WallState(is_enforced=True, mechanism="seccomp")
    )


@linux
def test_threads_that_ran_before_are_behind_it_too() -> None:
    code = """
built, tried = threading.Event(), []
def old():
    built.wait()
    tried.append(attempt(c_socket, socket.AF_INET))
thread = threading.Thread(target=old)
thread.start()
walls.deny_network()
built.set()
thread.join()
print(tried)
"""
    assert behind(code) == "[13]"


@linux
def test_children_inherit_it() -> None:
    code = """
walls.deny_network()
child = "import socket; socket.socket()"
print(subprocess.run([sys.executable, "-c", child], stderr=subprocess.PIPE).stderr.decode()[-60:])
"""
    assert "Permission denied" in behind(code)


@linux
def test_unix_sockets_can_be_kept() -> None:
    code = """
walls.deny_network(keep_unix=True)
print(attempt(c_socket, socket.AF_UNIX), attempt(c_socket, socket.AF_INET))
"""
    assert behind(code) == "0 13"


@linux
def test_pipes_pairs_and_event_loops_go_on() -> None:
    code = """
walls.deny_network()
ours, theirs = multiprocessing.Pipe()
theirs.send_bytes(b"frame")
asyncio.run(asyncio.sleep(0))
print(ours.recv_bytes())
"""
    assert behind(code) == "b'frame'"


WAYS_AROUND = {
    "x86_64": {"io_uring": 425, "ptrace": 101, "vm_readv": 310, "vm_writev": 311, "getfd": 438},
    "aarch64": {"io_uring": 425, "ptrace": 117, "vm_readv": 270, "vm_writev": 271, "getfd": 438},
}


@linux
@pytest.mark.parametrize("name", ["io_uring", "ptrace", "vm_readv", "vm_writev", "getfd"])
def test_the_ways_around_are_shut(name: str) -> None:
    number = WAYS_AROUND[platform.machine()][name]
    code = f"""
before = libc.syscall({number}, -1, 0, 0, 0), ctypes.get_errno()
walls.deny_network()
after = libc.syscall({number}, -1, 0, 0, 0), ctypes.get_errno()
print(before, after)
"""
    before, after = eval(f"[{behind(code).replace(') (', '), (')}]")  # noqa: S307
    assert after == (-1, 1)  # EPERM
    assert before != after


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86_64 only")
@linux
def test_a_foreign_numbering_ends_the_process() -> None:
    code = "walls.deny_network(); libc.syscall(0x40000000 + 41, 2, 1, 0)"
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_THE_WALL + code], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == -31  # SIGSYS


@linux
def test_a_machine_without_a_filter_does_not_go_on() -> None:
    code = """
import platform
platform.machine = lambda: "riscv64"
walls.deny_network()
"""
    with pytest.raises(AssertionError, match="PolicyError: policy"):
        behind(code)


@pytest.mark.parametrize("wall", [walls.deny_network, lambda: walls.only_file(Path("any"))])
def test_where_no_wall_is_built_the_state_says_so(
    wall: Callable[[], WallState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert wall() == WallState(is_enforced=False, reason="not_on_this_system")


landlocked = pytest.mark.skipif(
    sys.platform != "linux" or not landlock.version(), reason="no Landlock here"
)


@landlocked
def test_one_file_can_be_read_and_nothing_else(tmp_path: Path) -> None:
    document, other = tmp_path / "document.txt", tmp_path / "other.txt"
    document.write_text("read me")
    other.write_text("not me")
    code = """
from pathlib import Path
document, other = map(Path, sys.argv[1:])
state = walls.only_file(document)
print(state.mechanism, document.read_text())
print(attempt(open, other), attempt(open, document, "r+b"), attempt(os.listdir, document.parent),
      attempt(open, document.parent / "new", "w"), attempt(os.unlink, document),
      attempt(subprocess.run, ["/bin/true"]), attempt(open, "/etc/passwd"))
"""
    assert behind(code, str(document), str(other)).splitlines() == [
        "landlock read me",
        "13 13 13 13 13 13 13",
    ]
    assert document.read_text() == "read me"


@landlocked
def test_fonts_stay_readable(tmp_path: Path) -> None:
    fonts = Path("/usr/share/fonts")
    font = next((path for path in fonts.rglob("*.ttf")), None)
    if font is None:
        pytest.skip("no fonts here")
    (tmp_path / "document").touch()
    code = """
from pathlib import Path
walls.only_file(Path(sys.argv[1]))
print(attempt(open, sys.argv[2], "rb"))
"""
    assert behind(code, str(tmp_path / "document"), str(font)) == "0"


@landlocked
@pytest.mark.skipif(sys.platform != "linux" or landlock.version() < 4, reason="older kernel")
def test_tcp_is_refused_by_the_file_wall_as_well(tmp_path: Path) -> None:
    (tmp_path / "document").touch()
    code = """
from pathlib import Path
walls.only_file(Path(sys.argv[1]))
print(attempt(socket.socket().connect, ("127.0.0.1", 9)))
"""
    assert behind(code, str(tmp_path / "document")) == "13"


@landlocked
@pytest.mark.parametrize("name", ["", "absent"])
def test_a_folder_and_nothing_at_all_are_refused_before_the_wall(tmp_path: Path, name: str) -> None:
    with pytest.raises((IsADirectoryError, FileNotFoundError)):
        walls.only_file(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@landlocked
def test_both_walls_stand_together(tmp_path: Path) -> None:
    (tmp_path / "document").write_text("read me")
    code = """
from pathlib import Path
walls.deny_network()
walls.only_file(Path(sys.argv[1]))
print(Path(sys.argv[1]).read_text(), attempt(c_socket, socket.AF_INET))
"""
    assert behind(code, str(tmp_path / "document")) == "read me 13"
