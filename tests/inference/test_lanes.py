"""Requests beside each other in one host: who goes first, who waits, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inference.types import (
    BareMeasured,
    BareRun,
    Cancel,
    ChatMessage,
    DropSession,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Lane,
    Loaded,
    LoadModel,
    Prefill,
    Prefilled,
    PrefillProgress,
    Sampling,
    TextDelta,
)
from tests.worker_thread import WorkerThread

pytestmark = pytest.mark.engine

LONG = "the first number " * 500


@pytest.fixture
def host(tiny_model: Path) -> Iterator[WorkerThread]:
    thread = WorkerThread()
    thread.put(LoadModel(1, str(tiny_model)))
    assert isinstance(thread.wait(1), Loaded)
    yield thread
    thread.close()


def ask(
    request_id: int,
    text: str = "hot water",
    *,
    lane: Lane = "interactive",
    session_id: str = "",
    tokens: int = 8,
) -> GenerationRequest:
    return GenerationRequest(
        request_id,
        session_id or lane,
        (ChatMessage("user", text),),
        Sampling(temperature=0, max_new_tokens=tokens),
        lane=lane,
        ignore_eos=True,
    )


def prefill(request_id: int, text: str = LONG, *, session_id: str = "ahead") -> Prefill:
    return Prefill(request_id, session_id, (ChatMessage("user", text),))


def is_text(event: Event) -> bool:
    return isinstance(event, TextDelta)


def is_progress(event: Event) -> bool:
    return isinstance(event, PrefillProgress)


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def finished(event: Event) -> Finished:
    assert isinstance(event, Finished), event
    return event


@pytest.mark.parametrize("stage", [is_progress, is_text], ids=["prompt", "answer"])
def test_a_question_goes_before_a_batch_which_then_goes_on(
    host: WorkerThread, stage: Callable[[Event], bool]
) -> None:
    host.put(ask(2, LONG, lane="batch", session_id="alone", tokens=300))
    host.wait(2)
    host.put(ask(3, LONG, lane="batch", tokens=300))
    host.wait_for(3, stage)
    host.put(ask(4))
    host.wait(4)
    seen = len(host.of(3))
    batch = finished(host.wait(3))

    kinds = [kind for request_id, kind in host.order() if request_id in (3, 4)]
    assert kinds.index("Finished") < len(kinds) - 1
    assert seen < len(host.of(3))
    assert (batch.reason, batch.generated_tokens) == ("length", 300)
    assert text_of(host.of(3)) == text_of(host.of(2))


def test_a_batch_is_cancelled_while_a_question_is_answered(host: WorkerThread) -> None:
    host.put(ask(2, lane="batch", tokens=1500))
    host.wait_for(2, is_text)
    host.put(ask(3, tokens=1500))
    host.wait_for(3, is_text)
    host.put(Cancel(2))
    assert finished(host.wait(2)).reason == "cancelled"
    host.put(Cancel(3))
    assert finished(host.wait(3)).reason == "cancelled"

    assert [request_id for request_id, kind in host.order() if kind == "Finished"] == [2, 3]


def test_a_question_ends_the_computing_ahead_of_its_session_and_finds_its_tokens(
    host: WorkerThread,
) -> None:
    host.put(prefill(2, session_id="s"))
    host.wait_for(2, is_progress)
    host.put(ask(3, LONG, session_id="s"))
    answer = finished(host.wait(3))
    (ahead,) = (event for event in host.of(2) if isinstance(event, Prefilled))

    assert 0 < ahead.ready_tokens <= ahead.total_tokens
    assert answer.cached_tokens >= ahead.ready_tokens


def test_a_question_of_another_session_lets_computing_ahead_wait(host: WorkerThread) -> None:
    host.put(prefill(2))
    host.wait_for(2, is_progress)
    host.put(ask(3))
    host.wait(3)
    ahead = host.wait(2)

    assert isinstance(ahead, Prefilled)
    assert ahead.ready_tokens == ahead.total_tokens > 1000


def test_a_newer_computing_ahead_takes_the_place_of_an_older_one(host: WorkerThread) -> None:
    host.put(prefill(2))
    host.wait_for(2, is_progress)
    host.put(prefill(3, "hot water again", session_id="other"))
    newer, older = host.wait(3), host.wait(2)

    assert isinstance(newer, Prefilled)
    assert isinstance(older, Prefilled)
    assert newer.ready_tokens == newer.total_tokens
    assert older.ready_tokens < older.total_tokens


def test_two_requests_of_one_session_follow_each_other(host: WorkerThread) -> None:
    host.put(ask(2, lane="batch", session_id="s", tokens=100))
    host.wait_for(2, is_text)
    host.put(ask(3, session_id="s"))
    host.wait(3)

    assert [number for number, kind in host.order() if kind == "Finished"] == [2, 3]
    assert finished(host.wait(2)).generated_tokens == 100


def test_a_session_is_dropped_when_nothing_works_on_it(host: WorkerThread) -> None:
    host.put(ask(2, LONG, session_id="s", tokens=50))
    host.wait_for(2, is_text)
    host.put(DropSession("s"), ask(3, LONG, session_id="s"))

    assert finished(host.wait(2)).generated_tokens == 50
    assert finished(host.wait(3)).cached_tokens == 0


def test_a_load_waits_for_what_runs_and_what_comes_waits_for_the_load(
    host: WorkerThread, tiny_model: Path
) -> None:
    host.put(ask(2, lane="batch", tokens=100), prefill(3))
    host.wait_for(2, is_text)
    host.put(LoadModel(4, str(tiny_model)), ask(5))
    host.wait(5)

    ends = [(number, kind) for number, kind in host.order() if kind in ("Finished", "Loaded")]
    assert ends[-3:] == [(2, "Finished"), (4, "Loaded"), (5, "Finished")]
    assert isinstance(host.wait(3), Prefilled)


def test_a_bare_run_has_the_model_for_itself(host: WorkerThread) -> None:
    host.put(ask(2, lane="batch", tokens=100))
    host.wait_for(2, is_text)
    host.put(BareRun(3, 16, 8))

    assert isinstance(host.wait(3), BareMeasured)
    assert (2, "Finished") in host.order()


def test_closing_ends_what_runs_in_its_own_time(tiny_model: Path) -> None:
    thread = WorkerThread()
    thread.put(LoadModel(1, str(tiny_model)), ask(2, lane="batch", tokens=50), ask(3, tokens=50))
    thread.close()

    assert {finished(thread.wait(number)).generated_tokens for number in (2, 3)} == {50}


def test_a_stop_does_not_wait_until_a_request_has_begun(host: WorkerThread) -> None:
    host.put(ask(2, lane="batch", tokens=1000))
    host.wait_for(2, is_text)
    host.put(ask(3, LONG, session_id="batch"), Cancel(3))
    assert finished(host.wait(3)).reason == "cancelled"

    assert not any(isinstance(event, Finished) for event in host.of(2))
    host.put(Cancel(2), ask(4))
    assert finished(host.wait(4)).reason == "length"
    assert len(host.of(3)) == 1


def test_a_message_too_long_leaves_the_cache_of_its_conversation(host: WorkerThread) -> None:
    host.put(ask(2, LONG[:4000], session_id="s"))
    host.wait(2)
    host.put(ask(3, LONG * 5, session_id="s"))
    error = host.wait(3)
    host.put(ask(4, LONG[:4000], session_id="s"))
    again = finished(host.wait(4))

    assert isinstance(error, Failed)
    assert error.code == "context_overflow"
    assert again.cached_tokens == again.prompt_tokens - 1
