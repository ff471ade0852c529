"""A session against a fresh run over the same ids, on a model that is exact to 1e-3."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference import model
from inference.answer import Answer
from inference.errors import ContextOverflow
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


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(tiny_model)))
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


@dataclass
class Conversation:
    messages: list[ChatMessage] = field(default_factory=list)


_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["send", "regenerate", "edit"]),
        _WORDS,
        st.integers(1, 12),  # the cap
        st.one_of(st.none(), st.integers(0, 8)),  # stopped after so many steps
        st.booleans(),  # drafts
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(actions=_ACTIONS)
def test_any_history_leaves_the_logits_of_a_fresh_run(
    tiny: Model, actions: list[tuple[str, str, int, int | None, bool]]
) -> None:
    tiny.sessions.drop("s")
    messages: list[ChatMessage] = []
    for action, words, cap, stop_after, drafts in actions:
        if action != "send" and len(messages) >= 2:
            question = messages[-2] if action == "regenerate" else ChatMessage("user", words)
            messages[-2:] = [question]
        else:
            messages.append(ChatMessage("user", words))
        text, _, _ = answer(
            tiny,
            messages,
            sampling=Sampling(temperature=0.8, seed=cap, max_new_tokens=cap),
            drafts=drafts,
            stop_after=stop_after,
        )
        messages.append(ChatMessage("assistant", text))

        session = tiny.sessions.get("s")
        following = tiny.tokenizer.encode("<|im_end|>\n")
        assert next_logits_differ(tiny, session, following) <= TOLERANCE


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
