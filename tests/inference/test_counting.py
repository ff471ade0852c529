"""Counting in a child says what counting here says, sends only what is new, and ends when told."""

import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.children import Verb
from app.models.token_counter import TokenCounter
from inference import counting
from inference.child import Child
from inference.errors import ModelMissing, WorkerDied
from inference.types import ChatMessage, Role

Launch = Callable[[Verb], Child]

QUESTION = ChatMessage("user", "Hello there, <|im_end|> what is new?")
LONGER = (QUESTION, ChatMessage("assistant", "Nothing. "), ChatMessage("user", "Nothing?"))


class Started:
    """Starts children and remembers them."""

    def __init__(self, launch: Launch) -> None:
        self.children: list[Child] = []
        self._launch = launch

    def __call__(self) -> Child:
        self.children.append(self._launch("count"))
        return self.children[-1]


@pytest.fixture
def started(launch: Launch) -> Started:
    return Started(launch)


def test_the_child_counts_as_this_process_does(started: Started, tiny_model: Path) -> None:
    counter, here = TokenCounter(started), counting.Counter()
    for messages in ((QUESTION,), LONGER, (QUESTION,), LONGER):
        assert counter.count(tiny_model, messages) == here.count(tiny_model, messages) > 0
    assert counter.count(tiny_model, ()) == 0
    assert len(started.children) == 1
    counter.close()


def test_what_the_child_knows_is_not_sent_again(
    launch: Launch, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[counting.Count] = []
    encode = counting.COMMANDS.encode

    def look_and_encode(command: counting.Count) -> bytes:
        sent.append(command)
        return encode(command)

    monkeypatch.setattr(counting.COMMANDS, "encode", look_and_encode)
    process = counting.CountingProcess(launch("count"))
    for messages in ((QUESTION,), LONGER, LONGER, (QUESTION,), LONGER):
        process.count(tiny_model, messages)
    process.close()
    assert [len(command.texts) for command in sent] == [1, 2, 0, 0, 2]


@settings(max_examples=25, deadline=None)
@given(
    prompts=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(("user", "assistant")), st.sampled_from(("a", " a", "é\ud800"))
            ),
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_row_of_prompts_is_counted_as_if_each_were_the_first(
    tiny_model_folder: Path, prompts: list[list[tuple[Role, str]]]
) -> None:
    counter = counting.Counter()
    for prompt in prompts:
        messages = [ChatMessage(role, text) for role, text in prompt]
        fresh = counting.Counter().count(tiny_model_folder, messages)
        assert counter.count(tiny_model_folder, messages) == fresh


@pytest.fixture(scope="session")
def tiny_model_folder(tiny_model: Path) -> Path:
    return tiny_model


def test_a_missing_model_is_an_error_and_the_child_goes_on(
    started: Started, tiny_model: Path, tmp_path: Path
) -> None:
    counter = TokenCounter(started)
    with pytest.raises(ModelMissing):
        counter.count(tmp_path / "gone", (QUESTION,))
    assert counter.count(tiny_model, (QUESTION,)) > 0
    assert len(started.children) == 1
    counter.close()


def test_a_child_that_was_killed_is_replaced(started: Started, tiny_model: Path) -> None:
    counter = TokenCounter(started)
    before = counter.count(tiny_model, LONGER)
    psutil.Process(started.children[0].pid).kill()
    assert counter.count(tiny_model, LONGER) == before
    assert len(started.children) == 2
    counter.close()


def test_two_children_that_end_are_enough(started: Started, tiny_model: Path) -> None:
    def start_and_kill() -> Child:
        child = started()
        child.kill()
        return child

    with pytest.raises(WorkerDied):
        TokenCounter(start_and_kill).count(tiny_model, (QUESTION,))
    assert len(started.children) == 2


def test_forgetting_ends_the_child_and_closing_ends_all(started: Started, tiny_model: Path) -> None:
    counter = TokenCounter(started)
    before = counter.count(tiny_model, (QUESTION,))
    counter.forget()
    assert started.children[0].exit_code() is not None
    assert counter.count(tiny_model, (QUESTION,)) == before
    counter.close()
    assert started.children[1].exit_code() is not None
    with pytest.raises(WorkerDied):
        counter.count(tiny_model, (QUESTION,))
    assert len(started.children) == 2


def test_several_threads_may_count(started: Started, tiny_model: Path) -> None:
    counter = TokenCounter(started)
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(counter.count(tiny_model, LONGER)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 4
    assert len(set(counts)) == 1
    assert len(started.children) == 1
    counter.close()
