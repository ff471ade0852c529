"""The audit hook; the process of the tests itself runs under it, see conftest."""

import asyncio
import errno
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import PolicyError
from app.privacy import network

OUTSIDE = "192.0.2.1"  # reserved for documentation: nobody has it


def connect(host: str) -> None:
    with socket.socket() as plain:
        plain.connect((host, 9))


def connect_ex(host: str) -> None:
    with socket.socket() as plain:
        plain.connect_ex((host, 9))


def send(host: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.sendto(b"x", (host, 9))


def send_message(host: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.sendmsg([b"x"], (), 0, (host, 9))


def open_connection(host: str) -> None:
    asyncio.run(asyncio.open_connection(host, 9))


ATTEMPTS = [connect, connect_ex, send, send_message, open_connection]
if not hasattr(socket.socket, "sendmsg"):
    ATTEMPTS.remove(send_message)


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_python_reaches_nobody_outside(attempt: Callable[[str], None]) -> None:
    with pytest.raises(PermissionError) as refused:
        attempt(OUTSIDE)
    assert isinstance(refused.value, PolicyError)
    assert refused.value.facts == {"what": OUTSIDE}
    assert refused.value.errno == errno.EACCES


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: socket.getaddrinfo("example.com", 443),
        lambda: socket.getaddrinfo(b"example.com", 443),
        lambda: socket.gethostbyname("example.com"),
        lambda: socket.gethostbyname_ex("example.com"),
        lambda: socket.gethostbyaddr(OUTSIDE),
        lambda: socket.getnameinfo((OUTSIDE, 80), 0),
        lambda: asyncio.run(asyncio.open_connection("example.com", 443)),
    ],
)
def test_no_name_outside_is_looked_up(look_up: Callable[[], object]) -> None:
    with pytest.raises(network.ConnectionRefused):
        look_up()


def test_a_library_sees_an_ordinary_refusal() -> None:
    with pytest.raises(urllib.error.URLError, match=r"no network here: example\.com"):
        urllib.request.urlopen("http://example.com/")


@pytest.mark.parametrize("host", ["0.0.0.0", "", OUTSIDE])  # noqa: S104
def test_nothing_listens_where_others_could_reach_it(host: str) -> None:
    with socket.socket() as listener, pytest.raises(network.ConnectionRefused):
        listener.bind((host, 0))


def test_this_machine_can_talk_to_itself() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port), timeout=5) as plain:
            accepted, _ = server.accept()
            with accepted:
                plain.sendall(b"hello")
                assert accepted.recv(5) == b"hello"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no UNIX sockets here")
def test_unix_sockets_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # their paths are limited to about 100 characters
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as plain:
        listener.bind("here")
        listener.listen()
        plain.connect("here")


@pytest.mark.skipif(not hasattr(socket, "AF_NETLINK"), reason="Linux only")
def test_what_is_neither_internet_nor_unix_is_refused() -> None:
    with (
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as kernel,
        pytest.raises(network.ConnectionRefused, match="family"),
    ):
        kernel.bind((0, 0))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost", "", None],
)
def test_local_is_local(host: str | None) -> None:
    assert network.is_local(host)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1.example.com",
        "localhost.example.com",
        "::ffff:192.0.2.1",
        "0177.0.0.1",
        "2130706433",
        "127.1",
        "1.127.0.0",
        "fe80::1%lo",
        127,
    ],
)
def test_what_only_looks_local_is_not(host: object) -> None:
    assert not network.is_local(host)


@given(st.text())
def test_every_name_is_judged_without_an_error(host: str) -> None:
    network.is_local(host)


def run_watched(code: str, log: Path) -> "subprocess.CompletedProcess[str]":
    """Run `code` in an interpreter that keeps a log; this process's own hook keeps none."""
    watch = f"from app.privacy import network; from pathlib import Path\nlog = Path({str(log)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", f"{watch}network.watch(log, process='test')\n{code}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_attempts_are_in_the_log_with_time_process_host_and_verdict(tmp_path: Path) -> None:
    log = tmp_path / "new" / "network.log"
    code = """
import socket, urllib.request
network.record("model download", "some-model 1.0 from the package index", True)
for _ in range(2):
    try:
        urllib.request.urlopen("https://example.com/secret?word=tulip")
    except OSError:
        pass
"""
    done = run_watched(code, log)
    assert done.returncode == 0, done.stderr
    attempts = network.read_log(log)
    assert [(each.process, each.purpose, each.target, each.allowed) for each in attempts] == [
        ("test", "model download", "some-model 1.0 from the package index", True),
        ("test", "look-up", "example.com", False),
        ("test", "look-up", "example.com", False),
    ]
    assert 1.7e9 < attempts[0].time_s <= attempts[2].time_s
    assert "tulip" not in log.read_text()
    if os.name == "posix":
        assert log.stat().st_mode & 0o077 == 0


def test_a_start_without_an_attempt_makes_no_folder(tmp_path: Path) -> None:
    done = run_watched("", tmp_path / "data" / "network.log")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "data").exists()


def test_a_log_that_cannot_be_written_refuses_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    code = """
import socket
try:
    socket.getaddrinfo("example.com", 443)
except network.ConnectionRefused:
    print("refused")
"""
    done = run_watched(code, tmp_path / "file" / "network.log")
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_a_child_keeps_the_log_of_the_process_that_started_it(tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    child = (
        "from app.privacy import network; network.watch(network.inherited_log(), process='host');"
        "import socket; socket.gethostbyname('example.com')"
    )
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    done = run_watched(code, log)
    assert "ConnectionRefused" in done.stderr
    assert [(each.process, each.target) for each in network.read_log(log)] == [
        ("host", "example.com")
    ]


def test_watching_twice_refuses_once_and_uses_the_latest_log(tmp_path: Path) -> None:
    later = tmp_path / "later.log"
    code = f"""
network.watch(Path({str(later)!r}), process='later')
network.watch(None)
import socket
try:
    socket.gethostbyname('example.com')
except OSError:
    pass
"""
    assert run_watched(code, tmp_path / "first.log").returncode == 0
    assert network.read_log(tmp_path / "first.log") == []
    assert [json.loads(line)["process"] for line in later.read_text().splitlines()] == ["later"]
