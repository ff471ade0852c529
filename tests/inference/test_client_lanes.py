"""Several requests at once with one host: a fake one, whose prompts say how it behaves."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inference import child
from inference.client import EngineClient, Handle
from inference.errors import WorkerDied, WorkerHung
from inference.stream import Stream
from inference.types import (
    ChatMessage,
    Lane,
    Loaded,
    Prefilled,
    PrefillProgress,
    TextDelta,
)
from inference.watchdog import TICK_S, Limits

WAIT_S = 60
FAKE_HOST = Path(__file__).parents[1] / "fake_host.py"
QUICK = Limits(cancel_s=2.0, step_s=3 * TICK_S)

MakeClient = Callable[[Limits], EngineClient]


@pytest.fixture
def make_client() -> Iterator[MakeClient]:
    clients = []
    code = FAKE_HOST.read_text("utf-8")

    def make(limits: Limits) -> EngineClient:
        client = EngineClient(lambda: child.start([sys.executable, "-c", code]), limits=limits)
        clients.append(client)
        load(client).wait(WAIT_S)
        return client

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(make_client: MakeClient) -> EngineClient:
    return make_client(Limits())


def load(client: EngineClient) -> Stream:
    stream = Stream()
    client.load(Path("nowhere"), sink=stream.put)
    return stream


def ask(
    client: EngineClient, text: str, lane: Lane = "interactive", *, session_id: str = ""
) -> tuple[Stream, Handle]:
    stream = Stream()
    handle = client.submit(
        (ChatMessage("user", text),),
        session_id=session_id or lane,
        sink=stream.put,
        lane=lane,
    )
    return stream, handle


def prefill(client: EngineClient, *, session_id: str = "ahead") -> tuple[Stream, Handle]:
    stream = Stream()
    messages = (ChatMessage("user", "hi"),)
    handle = client.prefill(messages, session_id=session_id, sink=stream.put)
    return stream, handle


def running(client: EngineClient, text: str, lane: Lane) -> tuple[Stream, Handle]:
    """Ask for something that begins, and does not end by itself."""
    stream, handle = ask(client, text, lane)
    assert isinstance(next(iter(stream)), TextDelta)
    return stream, handle


def computing_ahead(client: EngineClient) -> Stream:
    """Compute ahead until somebody wants something else."""
    stream, _ = prefill(client)
    assert isinstance(next(iter(stream)), PrefillProgress)
    return stream


def test_a_question_is_answered_while_a_batch_runs(client: EngineClient) -> None:
    batch, handle = running(client, "stoppable", "batch")
    ahead = computing_ahead(client)
    question, _ = ask(client, "hello")

    assert question.result(WAIT_S).reason == "stop"
    assert not batch.poll()
    handle.cancel()
    assert batch.result(WAIT_S).reason == "cancelled"
    assert not ahead.poll()


def test_a_question_waits_for_a_batch_in_its_own_session(client: EngineClient) -> None:
    batch, handle = running(client, "stoppable", "batch")
    question, _ = ask(client, "hello", session_id="batch")
    other, _ = ask(client, "hello")

    assert other.result(WAIT_S).reason == "stop"
    assert not question.poll()
    handle.cancel()
    assert batch.result(WAIT_S).reason == "cancelled"
    assert question.result(WAIT_S).reason == "stop"


def test_computing_ahead_makes_way_for_a_newer_one(client: EngineClient) -> None:
    first, _ = prefill(client)
    second, _ = prefill(client)
    third, handle = prefill(client)
    ends = [first.wait(WAIT_S), second.wait(WAIT_S)]
    handle.cancel()
    ends.append(third.wait(WAIT_S))

    assert all(isinstance(end, Prefilled) for end in ends)


def test_computing_ahead_loads_no_model(make_client: MakeClient) -> None:
    client = make_client(Limits())
    died, _ = ask(client, "die")
    with pytest.raises(WorkerDied):
        died.result(WAIT_S)
    stream, _ = prefill(client)

    assert stream.wait(WAIT_S) == Prefilled(stream.wait(WAIT_S).request_id, 0, 0)
    assert client.pid is None


def test_a_load_waits_for_what_runs_and_ends_computing_ahead(client: EngineClient) -> None:
    batch, handle = running(client, "stoppable", "batch")
    ahead = computing_ahead(client)
    loading = load(client)
    question, _ = ask(client, "hello")

    assert isinstance(ahead.wait(WAIT_S), Prefilled)
    assert not loading.poll()
    assert not question.poll()
    handle.cancel()
    assert batch.result(WAIT_S).reason == "cancelled"
    assert isinstance(loading.wait(WAIT_S), Loaded)
    assert question.result(WAIT_S).reason == "stop"


def test_all_that_runs_ends_with_the_host(client: EngineClient) -> None:
    batch, _ = running(client, "stoppable", "batch")
    ahead = computing_ahead(client)
    question, _ = ask(client, "die")

    for stream in (batch, ahead, question):
        with pytest.raises(WorkerDied):
            stream.wait(WAIT_S)
    assert batch.text == "x"
    assert ask(client, "hello")[0].result(WAIT_S).reason == "stop"


def begin_without_text(client: EngineClient, text: str, file: Path) -> Stream:
    """Begin a batch that says nothing, but leaves a file."""
    batch, _ = ask(client, f"{text} {file}", "batch")
    wait_for(file)
    return batch


def wait_for(file: Path) -> None:
    ends_s = time.monotonic() + WAIT_S
    while not file.exists():
        assert time.monotonic() < ends_s
        threading.Event().wait(0.01)


def let_die(client: EngineClient) -> None:
    question, _ = ask(client, "die")
    with pytest.raises(WorkerDied):
        question.result(WAIT_S)


def test_a_batch_without_text_outlives_its_host(client: EngineClient, tmp_path: Path) -> None:
    batch = begin_without_text(client, "silent_unless", tmp_path / "seen")
    let_die(client)

    assert batch.result(WAIT_S).reason == "stop"
    assert batch.text == "again"


def test_a_batch_outlives_only_one_host(client: EngineClient, tmp_path: Path) -> None:
    file = tmp_path / "seen"
    batch = begin_without_text(client, "silent", file)
    file.unlink()
    let_die(client)
    wait_for(file)
    let_die(client)

    with pytest.raises(WorkerDied):
        batch.result(WAIT_S)


def test_a_batch_ends_when_the_host_is_ended_on_purpose(
    client: EngineClient, tmp_path: Path
) -> None:
    batch = begin_without_text(client, "silent", tmp_path / "seen")
    client.restart()

    with pytest.raises(WorkerDied):
        batch.result(WAIT_S)


def test_a_cancel_of_one_ends_no_other(client: EngineClient) -> None:
    batch, batch_handle = running(client, "stoppable", "batch")
    question, handle = running(client, "stoppable", "interactive")
    batch_handle.cancel()
    assert batch.result(WAIT_S).reason == "cancelled"
    assert not question.poll()
    handle.cancel()
    assert question.result(WAIT_S).reason == "cancelled"


def test_a_host_that_hangs_is_ended_and_the_next_question_works(make_client: MakeClient) -> None:
    client = make_client(QUICK)
    question, _ = running(client, "deaf", "interactive")

    with pytest.raises(WorkerHung) as caught:
        question.result(WAIT_S)
    assert caught.value.facts == {"silent_s": 1}
    assert question.text == "x"
    assert ask(client, "hello")[0].result(WAIT_S).reason == "stop"


def test_a_host_that_says_it_works_is_left_alone(make_client: MakeClient) -> None:
    client = make_client(QUICK)

    assert ask(client, "busy")[0].result(WAIT_S).reason == "stop"
