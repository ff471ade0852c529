"""Files come whole and proven, or not at all, whatever a hub and a network do."""

import gc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.errors import (
    CertificateRefused,
    DownloadError,
    GatedModel,
    HostRefused,
    HubAnswerWrong,
    HubBusy,
    HubUnreachable,
    ListingUnsafe,
    SourceMismatch,
    TokenRefused,
)
from app.models.hub import downloader
from app.models.hub.frames import Fetch, Patience, Way
from app.models.hub.part import part_path
from app.models.hub.transport import Transport
from app.models.hub.values import RemoteFile
from inference.errors import WriteFailed
from tests.app.models.hub.conftest import FILES, QUICK, STEADY, assert_complete
from tests.fake_hub import COMMIT, REPOSITORY, RESOLVE, FakeHub, Fault, remote_file

LARGE = "cpu/model.onnx"
SIZE = len(FILES[LARGE])


class Fetcher:
    """Fetches in this process, and keeps what was permitted and reported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.permitted: list[str] = []
        self.reports: list[tuple[int, ...]] = []

    def __call__(
        self,
        hub: FakeHub,
        *,
        files: tuple[RemoteFile, ...] | None = None,
        token: str = "",
        is_mirror: bool = False,
        patience: Patience = STEADY,
    ) -> None:
        way = Way(hub.url, "", token, is_mirror, patience)
        request = Fetch(way, REPOSITORY, COMMIT, files or hub.model().files, str(self.folder))
        downloader.fetch(request, Transport(way, self.permitted.append), self.reports.append)

    @property
    def part(self) -> Path:
        return part_path(self.folder, remote_file(LARGE, FILES[LARGE]))

    def leave_part(self, content: bytes) -> None:
        self.part.parent.mkdir(parents=True)
        self.part.write_bytes(content)


@pytest.fixture
def fetch(tmp_path: Path) -> Iterator[Fetcher]:
    yield Fetcher(tmp_path / "fetched")
    # The first error ends the others while they connect, which leaves sockets to the collector. The
    # process that this runs in otherwise ends with it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def large_requests(hub: FakeHub) -> list[str]:
    return [asked.headers.get("range", "") for asked in hub.paths_asked(f"/blob/{LARGE}")]


def test_all_files_come(hub: FakeHub, fetch: Fetcher) -> None:
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert hub.sent_bytes == sum(map(len, FILES.values()))
    assert fetch.reports[-1] == tuple(map(len, FILES.values()))
    assert list(fetch.part.parent.iterdir()) == []


@pytest.mark.parametrize("ends", ["cut", "reset", "stall"])
def test_a_connection_that_ends_early_is_gone_on_with(
    hub: FakeHub, fetch: Fetcher, ends: str
) -> None:
    hub.faults[LARGE] = [Fault(ends=ends, after_bytes=200_000)]  # type: ignore[arg-type]
    fetch(hub, patience=QUICK if ends == "stall" else STEADY)
    assert_complete(fetch.folder, FILES)
    first, *rest = large_requests(hub)
    assert first == ""
    assert rest
    if ends == "cut":
        assert rest == ["bytes=200000-"]
        assert hub.sent_bytes == sum(map(len, FILES.values()))


def test_what_an_earlier_run_left_is_not_fetched_again(hub: FakeHub, fetch: Fetcher) -> None:
    fetch.leave_part(FILES[LARGE][:400_000])
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert large_requests(hub) == ["bytes=400000-"]


def test_a_part_that_is_whole_needs_no_request(hub: FakeHub, fetch: Fetcher) -> None:
    fetch.leave_part(FILES[LARGE])
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert large_requests(hub) == []


@pytest.mark.parametrize("left", [b"\0" * SIZE, b"\0" * 1000, FILES[LARGE] + b"more"])
def test_a_part_that_was_damaged_is_thrown_away(hub: FakeHub, fetch: Fetcher, left: bytes) -> None:
    fetch.leave_part(left)
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert large_requests(hub)[-1] == ""


def test_a_finished_file_is_read_and_not_fetched(hub: FakeHub, fetch: Fetcher) -> None:
    fetch(hub)
    hub.asked.clear()
    fetch(hub)
    assert hub.asked == []
    damaged = bytearray(FILES[LARGE])
    damaged[77] ^= 1
    (fetch.folder / LARGE).write_bytes(damaged)
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert large_requests(hub) == [""]


def test_attempts_that_bring_bytes_do_not_count(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[LARGE] = [Fault(ends="cut", after_bytes=60_000, times=8)]
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert hub.sent_bytes == sum(map(len, FILES.values()))


def test_attempts_without_new_bytes_have_an_end(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[LARGE] = [Fault(ends="cut", after_bytes=60_000, ignores_range=True, times=-1)]
    with pytest.raises(HubUnreachable):
        fetch(hub)
    assert len(large_requests(hub)) == 1 + STEADY.tries
    assert not (fetch.folder / LARGE).exists()


def test_a_range_that_is_ignored_begins_again(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[LARGE] = [Fault(ends="cut", after_bytes=100_000), Fault(ignores_range=True)]
    fetch(hub)
    assert_complete(fetch.folder, FILES)


def test_another_range_than_the_one_asked_for_is_not_taken(hub: FakeHub, fetch: Fetcher) -> None:
    fetch.leave_part(FILES[LARGE][:100_000])
    hub.faults[LARGE] = [Fault(shifts_range=5, times=2)]
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    hub.faults[LARGE] = [Fault(shifts_range=5, times=-1)]
    (fetch.folder / LARGE).unlink()
    fetch.part.write_bytes(FILES[LARGE][:100_000])
    with pytest.raises(HubAnswerWrong):
        fetch(hub)
    assert fetch.part.read_bytes() == FILES[LARGE][:100_000]


def test_one_flipped_byte_is_found_and_fetched_anew(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[LARGE] = [Fault(flips=300_000)]
    hub.faults["config.json"] = [Fault(flips=3)]
    fetch(hub)
    assert_complete(fetch.folder, FILES)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(flips=0, times=-1),
        Fault(extra_bytes=10, times=-1),
        Fault(extra_bytes=10, is_extra_announced=False, times=-1),
        Fault(status=416, times=-1),
    ],
    ids=["flipped", "longer", "longer unannounced", "shorter"],
)
@pytest.mark.parametrize("path", [LARGE, "config.json"])
def test_a_file_that_is_another_one_never_gets_its_name(
    hub: FakeHub, fetch: Fetcher, fault: Fault, path: str
) -> None:
    hub.faults[path] = [fault]
    with pytest.raises(SourceMismatch) as raised:
        fetch(hub)
    assert raised.value.facts == {"source": path}
    assert not (fetch.folder / path).exists()


def test_content_that_changes_between_two_parts_is_never_mixed(
    hub: FakeHub, fetch: Fetcher
) -> None:
    files = hub.model().files
    fetch.leave_part(FILES[LARGE][:300_000])
    hub.files[LARGE] = bytes(reversed(FILES[LARGE]))
    with pytest.raises(SourceMismatch):
        fetch(hub, files=files)
    assert not (fetch.folder / LARGE).exists()


@pytest.mark.parametrize("status", [429, 503, 500, 408])
def test_a_busy_hub_is_asked_again(hub: FakeHub, fetch: Fetcher, status: int) -> None:
    busy = Fault(status=status, headers={"Retry-After": "900"}, times=2)
    hub.faults[RESOLVE] = [busy]
    fetch(hub)
    assert_complete(fetch.folder, FILES)


def test_a_hub_that_stays_busy_is_given_up(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[RESOLVE] = [Fault(status=503, times=-1)]
    with pytest.raises(HubBusy):
        fetch(hub)


@pytest.mark.parametrize(
    ("asked_s", "waited_s"), [(None, 4.0), (7.0, 7.0), (900.0, 60.0), (0.0, 0.0)]
)
def test_how_long_a_hub_may_ask_to_wait(asked_s: float | None, waited_s: float) -> None:
    assert Patience().wait_s(3, asked_s) == waited_s
    assert Patience().wait_s(50) == 60.0


def test_a_hub_that_is_not_there_is_named(hub: FakeHub, fetch: Fetcher) -> None:
    files = hub.model().files
    gone = FakeHub({}, url="http://127.0.0.1:1")
    with pytest.raises(HubUnreachable) as raised:
        fetch(gone, files=files)
    assert raised.value.facts == {"host": "127.0.0.1"}


def test_a_certificate_that_the_system_does_not_know_is_refused(
    fetch: Fetcher, tls_hub: FakeHub
) -> None:
    with pytest.raises(CertificateRefused):
        fetch(tls_hub)
    assert tls_hub.asked == []


def test_a_gated_model_says_so(serve: Callable[..., FakeHub], fetch: Fetcher) -> None:
    hub = serve(token="right")
    with pytest.raises(GatedModel) as raised:
        fetch(hub)
    assert raised.value.facts == {"repository": REPOSITORY, "host": "127.0.0.1"}
    fetch(hub, token="right")
    assert_complete(fetch.folder, FILES)


def test_a_token_that_is_refused_says_so(hub: FakeHub, fetch: Fetcher) -> None:
    hub.faults[RESOLVE] = [Fault(status=403, times=-1)]
    with pytest.raises(TokenRefused):
        fetch(hub, token="wrong")


def test_another_host_is_learned_from_the_hub_and_never_sees_the_token(
    serve: Callable[..., FakeHub], fetch: Fetcher
) -> None:
    hub = serve(is_elsewhere=True, token="secret")
    fetch(hub, token="secret")
    assert_complete(fetch.folder, FILES)
    assert fetch.permitted == ["127.0.0.1", "localhost"]
    elsewhere = [asked for asked in hub.asked if asked.host == "localhost"]
    assert [asked.path for asked in elsewhere] == [f"/blob/{LARGE}"]
    assert "authorization" not in elsewhere[0].headers
    assert all("authorization" in asked.headers for asked in hub.asked if asked.host != "localhost")


def test_with_a_mirror_no_other_host_is_asked(
    serve: Callable[..., FakeHub], fetch: Fetcher
) -> None:
    hub = serve(is_elsewhere=True)
    with pytest.raises(HostRefused) as raised:
        fetch(hub, is_mirror=True)
    assert raised.value.facts == {"host": "localhost", "hub": "127.0.0.1"}
    assert fetch.permitted == ["127.0.0.1"]
    assert {asked.host for asked in hub.asked} == {"127.0.0.1"}


def test_a_small_file_does_not_lead_to_another_host(hub: FakeHub, fetch: Fetcher) -> None:
    away = f"{hub.elsewhere_url}/blob/config.json"
    hub.faults[RESOLVE] = [Fault(status=302, headers={"Location": away}, times=-1)]
    with pytest.raises(HostRefused):
        fetch(hub, files=hub.model(["config.json"]).files)


@pytest.mark.parametrize("location", ["ftp://127.0.0.1/x", "//[", "http://:0/", ""])
def test_a_redirect_to_nowhere_is_refused(hub: FakeHub, fetch: Fetcher, location: str) -> None:
    hub.faults[RESOLVE] = [Fault(status=302, headers={"Location": location}, times=-1)]
    with pytest.raises(DownloadError):
        fetch(hub)
    assert not (fetch.folder / "config.json").exists()


def test_a_link_that_has_expired_is_asked_for_anew(
    serve: Callable[..., FakeHub], fetch: Fetcher
) -> None:
    hub = serve(is_elsewhere=True)
    hub.faults[LARGE] = [Fault(ends="cut", after_bytes=50_000), Fault(status=403)]
    fetch(hub)
    assert_complete(fetch.folder, FILES)
    assert len(hub.paths_asked(f"/{REPOSITORY}/resolve/{COMMIT}/{LARGE}")) == 3


def test_names_are_checked_before_the_first_byte(hub: FakeHub, fetch: Fetcher) -> None:
    hostile = remote_file("../outside", b"x")
    with pytest.raises(ListingUnsafe):
        fetch(hub, files=(*hub.model().files, hostile))
    with pytest.raises(ListingUnsafe):
        fetch(hub, files=(*hub.model().files, remote_file("CONFIG.json", b"x")))
    assert hub.asked == []
    assert not fetch.folder.exists()


def test_names_that_mean_something_in_an_address_are_fetched(
    serve: Callable[..., FakeHub], fetch: Fetcher
) -> None:
    files = {"a #1%20 ä&b=c+d.json": b"odd"}
    fetch(serve(files))
    assert_complete(fetch.folder, files)


def test_a_folder_that_cannot_be_written_says_so(hub: FakeHub, fetch: Fetcher) -> None:
    fetch.folder.write_bytes(b"a file")
    with pytest.raises(WriteFailed):
        fetch(hub)
