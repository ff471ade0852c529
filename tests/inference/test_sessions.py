"""A session against a fresh run over the same ids, on a model that is exact to 1e-3."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference import model
from inference.answer import Answer
from inference.engine.protocol import Cache
from inference.errors import ContextOverflow, OutOfMemory
from inference.model import Model
from inference.pace import Pace
from inference.session import Session
from inference.sessions import Sessions
from inference.types import (
    ChatMessage,
    Event,
    Finished,
    GenerationRequest,
    LoadModel,
    PrefillProgress,
    Sampling,
    TextDelta,
)

pytestmark = pytest.mark.engine

TOLERANCE = 1e-3
_WORDS = st.lists(
    st.sampled_from(["the", "of", "hot", "water", "came", "first", "number", "line"]),
    min_size=1,
    max_size=12,
).map(" ".join)


@pytest.fixture(scope="module", params=[32, 8])
def tiny(
    tiny_model: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Model]:
    """The model with a KV cache of each kind."""
    folder = shutil.copytree(tiny_model, tmp_path_factory.mktemp("sessions") / "tiny")
    loaded, answer = model.load(LoadModel(1, str(folder), kv_bits=request.param))
    assert answer.kv_bits == request.param
    yield loaded
    loaded.close()


def answer(
    tiny: Model,
    messages: list[ChatMessage],
    *,
    session_id: str = "s",
    sampling: Sampling | None = None,
    drafts: bool = False,
    stop_after: int | None = None,
) -> tuple[str, Finished, list[Event]]:
    """Run one answer to its end, stopped by a person after `stop_after` steps."""
    events: list[Event] = []
    steps = 0
    request = GenerationRequest(
        1, session_id, tuple(messages), sampling or Sampling(max_new_tokens=8), drafts=drafts
    )
    running = Answer(
        tiny,
        request,
        arrived_s=0.0,
        send=events.append,
        is_cancelled=lambda: stop_after is not None and steps >= stop_after,
    )
    while not running.step():
        steps += 1
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    finished = events[-1]
    assert isinstance(finished, Finished)
    return text, finished, events


def next_logits_differ(tiny: Model, session: Session, following: list[int]) -> float:
    """Return how far the session's next logits are from those of a fresh run over the same ids."""
    prompt = [*session.ids, *following]
    kept = session.begin(prompt, 1)
    session.append(prompt[kept:])
    fresh = tiny.engine.new_cache(len(prompt) + 1)
    fresh.append(prompt)
    return float(np.abs(session.logits() - fresh.logits()).max())


def make_sessions(
    tiny: Model, *, context_tokens: int = 2048, budget_bytes: int = 1 << 20
) -> Sessions:
    """Return sessions of their own, whose tokens take a byte each."""
    return Sessions(
        tiny.engine,
        context_tokens=context_tokens,
        budget_bytes=budget_bytes,
        token_bytes=1,
        pace=Pace(tiny.config.vocab_size),
    )


@settings(max_examples=25, deadline=None)
@given(words=_WORDS, seed=st.integers(0, 2**63 - 1), temperature=st.sampled_from([0, 0.3, 1.0]))
def test_drafts_change_nothing_but_the_number_of_calls(
    tiny: Model, words: str, seed: int, temperature: float
) -> None:
    sampling = Sampling(temperature=temperature, seed=seed, max_new_tokens=24)
    messages = [ChatMessage("user", f"{words} {words} {words}")]
    tiny.sessions.drop("s")
    plain, _, _ = answer(tiny, messages, sampling=sampling)
    tiny.sessions.drop("s")
    drafted, _, _ = answer(tiny, messages, sampling=sampling, drafts=True)

    assert drafted == plain


def test_the_tiny_model_can_verify_drafts(tiny: Model) -> None:
    assert tiny.engine.verify_tokens > 4


def test_a_follow_up_computes_only_what_is_new(tiny: Model) -> None:
    tiny.sessions.drop("s")
    messages = [ChatMessage("user", "the first number " * 20)]
    text, first, _ = answer(tiny, messages)
    messages += [ChatMessage("assistant", text), ChatMessage("user", "water")]
    _, second, _ = answer(tiny, messages)

    assert first.cached_tokens == 0
    # All of the prompt and the answer but its last token, which nobody had to compute.
    assert second.cached_tokens >= first.prompt_tokens + first.generated_tokens - 1


def test_regenerating_computes_one_token(tiny: Model) -> None:
    tiny.sessions.drop("s")
    messages = [ChatMessage("user", "hot water " * 10)]
    answer(tiny, messages)
    _, again, _ = answer(tiny, messages)

    assert again.cached_tokens == again.prompt_tokens - 1


def test_the_same_seed_gives_the_same_answer_in_a_fresh_session(tiny: Model) -> None:
    texts: dict[int, str] = {}
    for seed in (1, 1, 2):
        tiny.sessions.drop("s")
        sampling = Sampling(temperature=1.0, top_k=0, seed=seed, max_new_tokens=16)
        text, _, _ = answer(tiny, [ChatMessage("user", "water")], sampling=sampling)
        assert texts.setdefault(seed, text) == text
    assert len(set(texts.values())) == 2


def test_a_prompt_that_does_not_fit_says_by_how_much(tiny: Model) -> None:
    session = make_sessions(tiny, context_tokens=32).get("s")

    with pytest.raises(ContextOverflow) as caught:
        session.begin(range(40), 8)

    assert caught.value.facts == {"needed_tokens": 41, "limit_tokens": 32}


def test_an_answer_ends_where_the_context_window_does(tiny: Model) -> None:
    session = make_sessions(tiny, context_tokens=64, budget_bytes=1).get("s")

    kept = session.begin(range(3, 63), 1000)

    assert (kept, session.capacity_tokens) == (0, 64)


def test_growing_computes_the_prompt_again(tiny: Model) -> None:
    session = make_sessions(tiny).get("s")
    session.begin(range(3, 43), 8)
    session.append(range(3, 43))

    assert session.begin(range(3, 53), 8) == 40
    assert session.begin(range(3, 53), 1500) == 0
    assert session.ids == []


def test_the_session_used_longest_ago_leaves_first(tiny: Model) -> None:
    sessions = make_sessions(tiny, context_tokens=1024, budget_bytes=2 * 1024)
    for name in ("a", "b", "a", "c"):
        session = sessions.get(name)
        kept = session.begin([1, 2, 3], 8)
        session.append([1, 2, 3][kept:])
        sessions.make_room()

    assert sessions.get("a").ids == [1, 2, 3]
    assert sessions.get("c").ids == [1, 2, 3]
    assert sessions.get("b").ids == []


def test_progress_ends_with_the_whole_prompt(tiny: Model) -> None:
    tiny.sessions.drop("s")
    tiny.pace = Pace(tiny.config.vocab_size)
    _, finished, events = answer(tiny, [ChatMessage("user", "the water came " * 100)])

    progress = [event for event in events if isinstance(event, PrefillProgress)]
    assert len(progress) > 1
    assert progress[-1].done_tokens == progress[-1].total_tokens == finished.prompt_tokens


def test_a_stop_during_the_prompt_keeps_what_was_computed(tiny: Model) -> None:
    tiny.sessions.drop("s")
    tiny.pace = Pace(tiny.config.vocab_size)
    messages = [ChatMessage("user", "the water came " * 100)]
    _, stopped, _ = answer(tiny, messages, stop_after=1)
    _, again, _ = answer(tiny, messages)

    assert (stopped.reason, stopped.generated_tokens, stopped.ttft_s) == ("cancelled", 0, 0.0)
    assert again.cached_tokens > 0


# Growing, and memory.


def fill(session: Session, ids: Sequence[int], *, answer_tokens: int = 8) -> None:
    """Compute a prompt, as an answer does."""
    kept = session.begin(ids, answer_tokens)
    while not session.append(ids[kept:]):
        pass


def grow_fully(sessions: Sessions) -> int:
    """Grow in idle time until there is nothing to do; return in how many pieces."""
    return next(number for number in range(1000) if not sessions.grow())


def numbers(count: int) -> list[int]:
    """Return ids, no two neighbors alike."""
    return [3 + index * 7 % 200 for index in range(count)]


def test_a_session_grows_in_idle_time_before_it_is_full(tiny: Model) -> None:
    sessions = make_sessions(tiny)
    session = sessions.get("s")
    fill(session, numbers(900), answer_tokens=100)
    assert session.cache_tokens == 1024
    sessions.release("s", goes_on=True)

    assert grow_fully(sessions) > 2
    assert session.cache_tokens == session.memory_tokens == 2048
    assert session.begin(numbers(1100), 100) == 900
    assert session.append(numbers(1100)[900:])
    assert next_logits_differ(tiny, session, [5, 6]) <= TOLERANCE


def test_a_session_with_room_for_the_next_turn_does_not_grow(tiny: Model) -> None:
    sessions = make_sessions(tiny)
    fill(sessions.get("s"), numbers(500), answer_tokens=100)
    sessions.release("s", goes_on=True)
    grow_fully(sessions)

    assert sessions.get("s").memory_tokens == 1024


def test_a_batch_does_not_grow(tiny: Model) -> None:
    sessions = make_sessions(tiny)
    fill(sessions.get("s"), numbers(1000), answer_tokens=24)
    sessions.release("s")

    assert not sessions.grow()


def test_no_session_grows_beyond_the_budget(tiny: Model) -> None:
    sessions = make_sessions(tiny, budget_bytes=1024 + 2048 - 1)
    session = sessions.get("s")
    fill(session, numbers(900), answer_tokens=100)
    sessions.release("s", goes_on=True)
    grow_fully(sessions)

    assert session.memory_tokens == 1024
    assert session.begin(numbers(1000), 20) == 900


def test_others_leave_for_the_one_that_grows(tiny: Model) -> None:
    sessions = make_sessions(tiny, budget_bytes=1024 + 2048)
    fill(sessions.get("old"), numbers(10))
    fill(sessions.get("s"), numbers(900), answer_tokens=100)
    sessions.release("s", goes_on=True)
    grow_fully(sessions)

    assert sessions.get("s").cache_tokens == 2048
    assert sessions.get("old").ids == []


def test_a_question_in_the_middle_of_growing_takes_the_larger_cache_as_it_is(
    tiny: Model,
) -> None:
    sessions = make_sessions(tiny)
    session = sessions.get("s")
    fill(session, numbers(900), answer_tokens=100)
    sessions.release("s", goes_on=True)
    for _ in range(3):
        sessions.grow()
    kept = session.begin(numbers(1100), 100)

    assert 0 < kept < 900
    assert session.memory_tokens == 2048


def test_a_question_that_fits_does_not_wait_for_growing(tiny: Model) -> None:
    sessions = make_sessions(tiny)
    session = sessions.get("s")
    fill(session, numbers(900), answer_tokens=100)

    assert session.begin(numbers(940), 1000) == 900
    assert session.cache_tokens == 1024


def test_an_answer_that_fills_its_cache_goes_on_in_a_larger_one(tiny: Model) -> None:
    session = make_sessions(tiny).get("s")
    fill(session, numbers(900), answer_tokens=100)
    fill(session, numbers(950), answer_tokens=1000)
    for token in range(3, 103):
        while not session.append([token]):
            assert session.memory_tokens == 1024 + 2048

    assert session.ids == [*numbers(950), *range(3, 103)]
    assert session.memory_tokens == 2048
    assert next_logits_differ(tiny, session, [5, 6]) <= TOLERANCE


def test_an_answer_grows_even_where_both_caches_do_not_fit(tiny: Model) -> None:
    session = make_sessions(tiny, budget_bytes=2048).get("s")
    fill(session, numbers(900), answer_tokens=100)
    fill(session, numbers(950), answer_tokens=1000)
    for token in range(3, 103):
        while not session.append([token]):
            assert session.memory_tokens == 2048

    assert session.ids == [*numbers(950), *range(3, 103)]
    assert next_logits_differ(tiny, session, [5, 6]) <= TOLERANCE


def test_a_session_at_work_is_kept_whatever_the_others_need(tiny: Model) -> None:
    sessions = make_sessions(tiny, budget_bytes=1024)
    sessions.hold("batch")
    fill(sessions.get("batch"), numbers(100))
    for name in ("a", "b"):
        fill(sessions.get(name), numbers(100))
        sessions.make_room()

    assert sessions.get("batch").ids == numbers(100)
    sessions.release("batch")
    fill(sessions.get("c"), numbers(100))
    assert sessions.get("batch").ids == []


class ShortOfMemory:
    """An engine with memory for one cache at a time."""

    def __init__(self, tiny: Model, sessions: Callable[[], Sessions]) -> None:
        self._engine = tiny.engine
        self._sessions = sessions
        self.verify_tokens = 1

    def new_cache(self, capacity_tokens: int) -> Cache:
        if self._sessions().used_bytes:
            raise OutOfMemory
        return self._engine.new_cache(capacity_tokens)

    def interrupt(self) -> None:
        raise AssertionError

    def bare_run(self, prompt_tokens: int, new_tokens: int) -> tuple[float, float]:
        raise AssertionError


def test_where_the_machine_has_no_more_memory_the_others_leave(tiny: Model) -> None:
    sessions: Sessions = Sessions(
        ShortOfMemory(tiny, lambda: sessions),
        context_tokens=2048,
        budget_bytes=1 << 30,
        token_bytes=1,
        pace=Pace(tiny.config.vocab_size),
    )
    fill(sessions.get("a"), numbers(10))
    fill(sessions.get("b"), numbers(10))
    assert sessions.get("a").ids == []

    fill(sessions.get("b"), numbers(900), answer_tokens=100)
    sessions.release("b", goes_on=True)
    grow_fully(sessions)
    assert sessions.get("b").ids == numbers(900)
