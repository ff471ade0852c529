"""What is certain of the next prompt, and computing it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference import model
from inference.ahead import Ahead, certain_prefix
from inference.model import Model
from inference.pace import Pace
from inference.types import ChatMessage, Event, LoadModel, Prefill, Prefilled, PrefillProgress

pytestmark = pytest.mark.engine

_TEXT = st.text(st.sampled_from("ab e1.,\n'é漢\u00a0"), max_size=40)


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(tiny_model)))
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def starter(starter_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(starter_model)))
    yield loaded
    loaded.close()


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def run(tiny: Model, *messages: ChatMessage, steps: int | None = None) -> list[Event]:
    """Compute ahead for session `s`, cancelled after so many steps."""
    events: list[Event] = []
    done = 0
    ahead = Ahead(
        tiny,
        Prefill(1, "s", messages),
        send=events.append,
        is_cancelled=lambda: steps is not None and done >= steps,
    )
    while not ahead.step():
        done += 1
    return events


def prefilled(events: list[Event]) -> Prefilled:
    last = events[-1]
    assert isinstance(last, Prefilled)
    return last


@pytest.mark.starter
@settings(max_examples=200, deadline=None)
@given(text=_TEXT, more=_TEXT)
def test_what_is_certain_begins_every_longer_prompt(starter: Model, text: str, more: str) -> None:
    prompts = starter.prompts
    certain = certain_prefix(prompts, (user("hi"), user(text)), spelled={})

    # Space at the end may still grow, and is left to chance; it costs a token or two.
    if text == text.rstrip():
        assert prompts.build((user("hi"), user(text + more)))[: len(certain)] == certain


def test_most_of_a_long_question_is_certain(tiny: Model) -> None:
    question = user("hot water came first " * 20)
    certain = certain_prefix(tiny.prompts, (question,), spelled={})

    assert len(certain) > len(tiny.prompts.build((question,))) - 20


def test_behind_an_answer_the_frame_of_the_next_question_is_certain(tiny: Model) -> None:
    history = (user("hot"), ChatMessage("assistant", "water"))
    certain = certain_prefix(tiny.prompts, history, spelled={})

    assert tiny.tokenizer.decode(list(certain)).endswith("water\nuser\n")
    assert tiny.prompts.build((*history, user("x")))[: len(certain)] == certain


def test_an_answer_is_certain_as_it_was_drawn(tiny: Model) -> None:
    drawn = tiny.tokenizer.encode_plain("wa") + tiny.tokenizer.encode_plain("ter")
    spelled = {"water": drawn}
    history = (user("hot"), ChatMessage("assistant", "water"))
    certain = certain_prefix(tiny.prompts, history, spelled=spelled)

    assert set(spelled) == {"hot", "water"}
    assert tiny.prompts.build((*history, user("x")), spelled=spelled)[: len(certain)] == certain


def test_computing_ahead_ends_with_all_that_is_certain(tiny: Model) -> None:
    tiny.sessions.drop("s")
    events = run(tiny, user("the first number " * 100))
    last = prefilled(events)

    assert last.ready_tokens == last.total_tokens == len(tiny.sessions.get("s").ids)
    assert last.kv_bytes == tiny.sessions.used_bytes > 0
    assert any(isinstance(event, PrefillProgress) for event in events)


def test_what_is_there_already_is_not_computed_again(tiny: Model) -> None:
    tiny.sessions.drop("s")
    run(tiny, user("the first number " * 100))
    held = list(tiny.sessions.get("s").ids)
    events = run(tiny, user("the first number " * 50))

    assert [type(event) for event in events] == [Prefilled]
    assert prefilled(events).ready_tokens == prefilled(events).total_tokens
    assert tiny.sessions.get("s").ids == held


def test_a_cancelled_one_says_how_far_it_came_and_the_next_goes_on(tiny: Model) -> None:
    tiny.sessions.drop("s")
    tiny.pace = Pace(tiny.config.vocab_size)
    text = user("the first number " * 200)
    first = prefilled(run(tiny, text, steps=1))
    second = run(tiny, text)

    assert 0 < first.ready_tokens < first.total_tokens
    progress = [event for event in second if isinstance(event, PrefillProgress)]
    assert progress[0].done_tokens > first.ready_tokens
