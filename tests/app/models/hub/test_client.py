"""The download process from outside: stopped, killed, gone on with, and what it lets others see."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from app import errors
from app.children import Verb
from app.errors import DownloadEnded, HubUnreachable, NoSpace, ProxyRefused
from app.models.hub.client import PUBLIC_ENDPOINT, HubClient, HubOptions
from app.models.hub.frames import ANSWERS, REQUESTS, Failed, Fetch, Way
from app.models.hub.part import part_path
from app.models.hub.values import RemoteFile, RemoteModel
from app.models.progress import FetchProgress
from app.models.task import Task
from app.privacy import network
from inference.child import Child
from inference.errors import Cancelled
from tests import loopback_proxy
from tests.app.models.hub.conftest import FILES, STEADY, Connect, assert_complete
from tests.fake_hub import COMMIT, REPOSITORY, FakeHub, noise

ROOT = Path(__file__).parents[4]
BIG = {"model.onnx": noise(9_000_000, 1), "config.json": b"{}"}
SPEED = 9_000_000
# What is in the sockets at a kill is lost: some 100 kB, however large a file is.
WASTE = 0.02


def fetch_all(client: HubClient, hub: FakeHub, folder: Path) -> None:
    seen: list[FetchProgress] = []
    client.fetch(hub.model(), hub.model().files, folder, task=Task(), on_progress=seen.append)
    assert seen[-1].done_bytes == seen[-1].total_bytes == sum(map(len, hub.files.values()))


class Watcher:
    """Does something once a third of the bytes is here."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._is_done = False

    def __call__(self, progress: FetchProgress) -> None:
        if progress.done_bytes * 3 > progress.total_bytes and not self._is_done:
            self._is_done = True
            self._act()


def test_a_model_is_looked_up_and_fetched(hub: FakeHub, connect: Connect, tmp_path: Path) -> None:
    client = connect(hub.url)
    assert client.look_up(REPOSITORY, task=Task()) == RemoteModel(
        REPOSITORY, COMMIT, "apache-2.0", False, hub.model().files
    )
    fetch_all(client, hub, tmp_path / "new")
    assert_complete(tmp_path / "new", FILES)


def test_a_stopped_fetch_ends_at_once_and_goes_on_later(
    serve: Callable[..., FakeHub], connect: Connect, tmp_path: Path
) -> None:
    hub = serve(BIG, bytes_per_s=SPEED)
    client, task = connect(hub.url), Task()
    with pytest.raises(Cancelled):
        client.fetch(
            hub.model(), hub.model().files, tmp_path, task=task, on_progress=Watcher(task.stop)
        )
    assert not (tmp_path / "model.onnx").exists()
    fetch_all(client, hub, tmp_path)
    assert_complete(tmp_path, BIG)
    assert hub.sent_bytes <= sum(map(len, BIG.values())) * (1 + WASTE)


def test_a_stopped_task_asks_nothing(hub: FakeHub, connect: Connect) -> None:
    task = Task()
    task.stop()
    with pytest.raises(Cancelled):
        connect(hub.url).look_up(REPOSITORY, task=task)
    assert hub.asked == []


def test_a_silent_hub_does_not_delay_a_stop(
    serve: Callable[..., FakeHub], connect: Connect, tmp_path: Path
) -> None:
    hub = serve(BIG, bytes_per_s=1)
    task = Task()
    timer = threading.Timer(0.5, task.stop)
    timer.start()
    with pytest.raises(Cancelled):
        connect(hub.url).fetch(
            hub.model(), hub.model().files, tmp_path, task=task, on_progress=lambda _: None
        )
    timer.join()


def test_a_killed_download_process_is_gone_on_with(
    serve: Callable[..., FakeHub], launch: Callable[[Verb], Child], tmp_path: Path
) -> None:
    hub = serve(BIG, bytes_per_s=SPEED)
    started: list[Child] = []

    def start() -> Child:
        started.append(launch("download"))
        return started[-1]

    client = HubClient(start, lambda: HubOptions(hub.url), STEADY)
    kill = Watcher(lambda: os.kill(started[0].pid, signal.SIGTERM if os.name == "nt" else 9))
    with pytest.raises(DownloadEnded):
        client.fetch(hub.model(), hub.model().files, tmp_path, task=Task(), on_progress=kill)
    assert not (tmp_path / "model.onnx").exists()
    fetch_all(client, hub, tmp_path)
    assert_complete(tmp_path, BIG)
    assert hub.sent_bytes <= sum(map(len, BIG.values())) * (1 + WASTE)


PARENT = """
import os, signal, sys
from pathlib import Path
from app import children
from app.models.hub.client import HubClient, HubOptions
from app.models.hub.frames import REQUESTS
from app.models.task import Task
from inference import child
from tests.app.models.hub.test_client import PARENT_FRAME
request = REQUESTS.decode(sys.stdin.buffer.read())

def launch():
    started = child.start(children.command("download"))
    print(started.pid, flush=True)
    return started

def kill(progress):
    if progress.done_bytes * 3 > progress.total_bytes:
        os.kill(os.getpid(), signal.SIGKILL)

client = HubClient(launch, lambda: HubOptions(request.way.endpoint))
client.fetch(
    PARENT_FRAME(request), request.files, Path(request.folder), task=Task(), on_progress=kill
)
"""


def PARENT_FRAME(request: Fetch) -> RemoteModel:  # noqa: N802 - used by the text above
    return RemoteModel(request.repository, request.commit, "", False, request.files)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such kill there")
def test_a_killed_snug_takes_its_download_process_along_and_goes_on(
    serve: Callable[..., FakeHub], connect: Connect, tmp_path: Path
) -> None:
    hub = serve(BIG, bytes_per_s=SPEED)
    way = Way(hub.url, "", "", True, STEADY)
    request = Fetch(way, REPOSITORY, COMMIT, hub.model().files, str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", PARENT],
        input=REQUESTS.encode(request),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL
    (pid,) = done.stdout.split()
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(pid)).wait(10)
    assert not (tmp_path / "model.onnx").exists()
    fetch_all(connect(hub.url), hub, tmp_path)
    assert_complete(tmp_path, BIG)
    assert hub.sent_bytes <= sum(map(len, BIG.values())) * (1 + WASTE)


def test_the_token_is_seen_by_the_endpoint_only(
    serve: Callable[..., FakeHub],
    launch: Callable[[Verb], Child],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = tmp_path / "network.log"
    monkeypatch.setenv(network.LOG_VARIABLE, str(log))
    token = "hf_do_not_tell"
    hub = serve(BIG, bytes_per_s=SPEED, token=token)
    seen: list[str] = []
    started: list[Child] = []

    def start() -> Child:
        started.append(launch("download"))
        return started[-1]

    def look() -> None:
        process = psutil.Process(started[-1].pid)
        seen.extend([*process.cmdline(), *process.environ().values()])

    client = HubClient(start, lambda: HubOptions(hub.url, token=token), STEADY)
    client.look_up(REPOSITORY, task=Task())
    client.fetch(
        hub.model(), hub.model().files, tmp_path / "new", task=Task(), on_progress=Watcher(look)
    )
    assert seen
    assert not [each for each in seen if token in each]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert log in files
    assert not [path for path in files if token.encode() in path.read_bytes()]
    assert token not in repr(client._way())
    assert token not in repr(HubOptions(token=token))


def test_each_host_is_in_the_network_log_before_it_is_asked(
    hub: FakeHub, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "network.log"
    monkeypatch.setenv(network.LOG_VARIABLE, str(log))
    port = int(hub.url.rpartition(":")[2])
    with loopback_proxy.serve({"hub.invalid": port}) as proxy:
        client = connect("http://hub.invalid", proxy=proxy.url)
        model = client.look_up(REPOSITORY, task=Task())
        client.fetch(model, model.files, tmp_path / "new", task=Task(), on_progress=lambda _: None)
    assert_complete(tmp_path / "new", FILES)
    assert all(address.startswith("http://hub.invalid/") for address in proxy.asked)
    attempts = network.read_log(log)
    assert {(each.process, each.purpose, each.allowed) for each in attempts} == {
        ("download", "model download", True)
    }
    assert {each.target for each in attempts} == {"hub.invalid", "127.0.0.1"}


def test_the_systems_proxy_is_used_where_none_is_given(
    hub: FakeHub, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(hub.url.rpartition(":")[2])
    with loopback_proxy.serve({"hub.invalid": port}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert connect("http://hub.invalid").look_up(REPOSITORY, task=Task()).commit == COMMIT
        assert len(proxy.asked) == 1
        # This machine is asked directly.
        connect(hub.url).look_up(REPOSITORY, task=Task())
        assert len(proxy.asked) == 1


def test_a_proxy_that_refuses_is_named(hub: FakeHub, connect: Connect, tmp_path: Path) -> None:
    with loopback_proxy.serve({}, refuses=True) as proxy:
        client = connect("http://hub.invalid", proxy=proxy.url)
        with pytest.raises(ProxyRefused):
            client.look_up(REPOSITORY, task=Task())
        with pytest.raises(ProxyRefused):
            fetch_all(client, hub, tmp_path)
    with pytest.raises(ProxyRefused):
        connect(hub.url, proxy="socks5://127.0.0.1:1").look_up(REPOSITORY, task=Task())


def test_a_proxy_that_is_not_there_ends_the_request(connect: Connect) -> None:
    with pytest.raises(HubUnreachable):
        connect("http://hub.invalid", proxy="http://127.0.0.1:1").look_up(REPOSITORY, task=Task())


def test_the_systems_certificates_are_believed(
    tls_hub: FakeHub,
    connect: Connect,
    certificate: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if sys.platform != "linux":
        pytest.skip("the store of this system cannot be given for a test")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    client = connect(tls_hub.url)
    assert client.look_up(REPOSITORY, task=Task()).commit == COMMIT
    fetch_all(client, tls_hub, tmp_path)
    assert_complete(tmp_path, FILES)


def test_room_is_asked_for_before_the_first_byte(
    hub: FakeHub, connect: Connect, tmp_path: Path
) -> None:
    huge = RemoteFile("model.onnx", 1 << 60, "0" * 64, True)
    with pytest.raises(NoSpace):
        connect(hub.url).fetch(
            hub.model(), [huge], tmp_path, task=Task(), on_progress=lambda _: None
        )
    assert hub.asked == []


def test_an_address_means_a_mirror_unless_it_is_the_public_one() -> None:
    def never() -> Child:
        raise AssertionError("nothing is asked")

    def way(endpoint: str) -> Way:
        return HubClient(never, lambda: HubOptions(endpoint))._way()

    assert (way("").endpoint, way("").is_mirror) == (PUBLIC_ENDPOINT, False)
    assert not way(f"{PUBLIC_ENDPOINT}/").is_mirror
    assert way("https://mirror.example/").endpoint == "https://mirror.example"
    assert way("https://mirror.example/").is_mirror


def test_a_frame_that_is_none_ends_in_an_error(launch: Callable[[Verb], Child]) -> None:
    child = launch("download")
    child.connection.send_bytes(json.dumps({"type": "Fetch"}).encode())
    child.connection.poll(60)
    with pytest.raises(EOFError):
        child.connection.recv_bytes()
    child.close(20)


def test_an_error_crosses_the_pipe_with_its_facts() -> None:
    failed = ANSWERS.decode(
        ANSWERS.encode(Failed("no_space", {"needed_bytes": 7, "free_bytes": 3}))
    )
    error = errors.from_code(failed.code, failed.facts)
    assert isinstance(error, NoSpace)
    assert error.facts == {"needed_bytes": 7, "free_bytes": 3}


def test_parts_are_named_by_path_and_content(tmp_path: Path) -> None:
    one = RemoteFile("a", 1, "0" * 64, True)
    others = [RemoteFile("b", 1, "0" * 64, True), RemoteFile("a", 1, "1" * 64, True)]
    assert len({part_path(tmp_path, each) for each in (one, *others)}) == 3
