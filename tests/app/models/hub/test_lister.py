"""What a hub says of a repository is checked before anybody acts on it."""

import json
from collections.abc import Callable

import pytest

from app.errors import (
    DownloadError,
    GatedModel,
    HostRefused,
    HubAnswerWrong,
    HubBusy,
    HubUnreachable,
    ListingUnsafe,
    RepositoryUnknown,
    RevisionUnknown,
    TokenRefused,
)
from app.models.task import Task
from tests.app.models.hub.conftest import FILES, Connect
from tests.fake_hub import API, COMMIT, REPOSITORY, FakeHub, Fault


def test_one_request_tells_everything(hub: FakeHub, connect: Connect) -> None:
    found = connect(hub.url).look_up(REPOSITORY, task=Task())
    assert found.files == hub.model().files
    assert (found.repository, found.commit) == (REPOSITORY, COMMIT)
    assert (found.licence, found.is_gated) == ("apache-2.0", False)
    assert [asked.path for asked in hub.asked] == [f"/api/models/{REPOSITORY}/revision/main"]
    assert "authorization" not in hub.asked[0].headers


def test_no_token_of_another_program_is_sent(
    hub: FakeHub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_another_program")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("HF_HUB_DISABLE_TELEMETRY", raising=False)
    connect(hub.url).look_up(REPOSITORY, task=Task())
    assert ["authorization" in asked.headers for asked in hub.asked] == [False]


def test_a_gated_model_is_told_and_listed_with_a_token(
    serve: Callable[..., FakeHub], connect: Connect
) -> None:
    hub = serve(token="right")
    with pytest.raises(GatedModel):
        connect(hub.url).look_up(REPOSITORY, task=Task())
    assert connect(hub.url, token="right").look_up(REPOSITORY, task=Task()).is_gated


def test_a_busy_hub_is_asked_again(hub: FakeHub, connect: Connect) -> None:
    hub.faults[API] = [Fault(status=429, headers={"Retry-After": "1"}), Fault(status=503)]
    assert connect(hub.url).look_up(REPOSITORY, task=Task()).commit == COMMIT
    assert len(hub.asked) == 3


FAULTS = [
    (Fault(status=503, times=-1), HubBusy),
    (Fault(status=401), RepositoryUnknown),
    (Fault(status=404, headers={"X-Error-Code": "RepoNotFound"}), RepositoryUnknown),
    (Fault(status=418), HubAnswerWrong),
    (Fault(body=b"<html>a portal</html>"), HubAnswerWrong),
    (Fault(body=b"[]"), HubAnswerWrong),
    (Fault(body=json.dumps({"id": "x", "sha": "main"}).encode()), HubAnswerWrong),
    (Fault(status=302, headers={"Location": "http://localhost:1/x"}), HostRefused),
    (
        Fault(status=302, headers={"Location": f"/api/models/{REPOSITORY}"}, times=-1),
        HubAnswerWrong,
    ),
]


@pytest.mark.parametrize(("fault", "kind"), FAULTS)
def test_what_is_no_listing_is_refused(
    hub: FakeHub, connect: Connect, fault: Fault, kind: type[DownloadError]
) -> None:
    hub.faults[API] = [fault]
    with pytest.raises(kind):
        connect(hub.url).look_up(REPOSITORY, task=Task())


SIBLINGS = [
    {"rfilename": "a"},
    {"rfilename": "a", "size": -1, "blobId": "0" * 40},
    {"rfilename": "a", "size": "7", "blobId": "0" * 40},
    {"rfilename": "a", "size": 7, "blobId": "../x"},
    {"rfilename": "a", "size": 7, "lfs": {"sha256": "0" * 63, "size": 7, "pointerSize": 1}},
]


@pytest.mark.parametrize("sibling", SIBLINGS)
def test_a_file_without_size_or_digest_is_refused(
    hub: FakeHub, connect: Connect, sibling: dict[str, object]
) -> None:
    body = {"id": REPOSITORY, "sha": COMMIT, "siblings": [sibling]}
    hub.faults[API] = [Fault(body=json.dumps(body).encode())]
    with pytest.raises(HubAnswerWrong):
        connect(hub.url).look_up(REPOSITORY, task=Task())


def test_hostile_names_refuse_the_repository(
    serve: Callable[..., FakeHub], connect: Connect
) -> None:
    hub = serve(FILES, listed_besides=("../../outside",))
    with pytest.raises(ListingUnsafe) as raised:
        connect(hub.url).look_up(REPOSITORY, task=Task())
    assert raised.value.facts == {"file": "../../outside"}


@pytest.mark.parametrize("name", ["", "../x", "a/b/c", "a b/c", "a/..", "http://x", "a/b?c"])
def test_what_is_no_name_is_not_asked_for(hub: FakeHub, connect: Connect, name: str) -> None:
    with pytest.raises(RepositoryUnknown):
        connect(hub.url).look_up(name, task=Task())
    assert hub.asked == []


def test_a_revision_that_is_not_there_is_named(hub: FakeHub, connect: Connect) -> None:
    with pytest.raises(RevisionUnknown) as raised:
        connect(hub.url).look_up(REPOSITORY, "v9", task=Task())
    assert raised.value.facts == {"repository": REPOSITORY, "revision": "v9"}


def test_a_token_that_is_refused_says_so(hub: FakeHub, connect: Connect) -> None:
    hub.faults[API] = [Fault(status=401)]
    with pytest.raises(TokenRefused):
        connect(hub.url, token="old").look_up(REPOSITORY, task=Task())


@pytest.mark.parametrize("endpoint", ["ftp://127.0.0.1", "127.0.0.1", "http://", "x"])
def test_what_is_no_address_is_refused(connect: Connect, endpoint: str) -> None:
    with pytest.raises(HubAnswerWrong):
        connect(endpoint).look_up(REPOSITORY, task=Task())


def test_a_hub_that_is_not_there_is_named(connect: Connect) -> None:
    with pytest.raises(HubUnreachable):
        connect("http://127.0.0.1:1").look_up(REPOSITORY, task=Task())
