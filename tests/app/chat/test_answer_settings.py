import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.chat.answer_settings import dump, effective_sampling, load
from app.chat.service import ChatService
from app.chat.values import AnswerSettings
from app.store.database import Database
from inference.types import Sampling
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0
ALL = AnswerSettings(
    system_prompt="Be brief.",
    temperature=0.8,
    top_p=0.5,
    top_k=0,
    min_p=0.1,
    repetition_penalty=1.2,
    seed=7,
    max_new_tokens=9,
    stop=("END",),
    overflow="ask",
)


def test_settings_come_back_as_they_were_kept() -> None:
    assert load(dump(ALL)) == ALL
    assert load(dump(AnswerSettings())) == load("{}") == AnswerSettings()


def test_what_another_version_kept_is_neither_lost_nor_an_error() -> None:
    newer = json.dumps({"mood": "merry", "temperature": 0.5})
    assert load(newer) == AnswerSettings(temperature=0.5)
    again = json.loads(dump(AnswerSettings(top_k=3), over=newer))
    assert (again["mood"], again["temperature"], again["top_k"]) == ("merry", None, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1},
        {"temperature": "hot"},
        {"temperature": float("nan")},
        {"top_p": 0},
        {"seed": 1.5},
        {"max_new_tokens": True},
        {"stop": [""]},
        {"stop": "END"},
        {"overflow": "explode"},
        {"system_prompt": 3},
    ],
)
def test_a_value_that_is_not_allowed_counts_as_not_set(wrong: dict[str, object]) -> None:
    assert load(json.dumps({**wrong, "min_p": 0.2})) == AnswerSettings(min_p=0.2)


@pytest.mark.parametrize("kept", ["", "nonsense", "[1]", "null"])
def test_what_is_no_object_counts_as_nothing_set(kept: str) -> None:
    assert load(kept) == AnswerSettings()


def test_settings_that_no_sampling_allows_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="temperature"):
        AnswerSettings(temperature=11)


def test_what_the_conversation_does_not_say_is_as_the_generator_has_it() -> None:
    default = Sampling(temperature=0.7, top_p=0.8, top_k=20, repetition_penalty=1.1)
    assert effective_sampling(default, AnswerSettings()) == default
    assert effective_sampling(default, AnswerSettings(top_k=0, temperature=0.0)) == Sampling(
        temperature=0.0, top_p=0.8, top_k=0, repetition_penalty=1.1
    )
    assert effective_sampling(default, ALL) == Sampling(
        temperature=0.8,
        top_p=0.5,
        top_k=0,
        seed=7,
        max_new_tokens=9,
        min_p=0.1,
        repetition_penalty=1.2,
        stop=("END",),
    )


@pytest.fixture
def reopen(
    store_path: Path, generator: FakeGenerator, documents: FakeDocuments, clock: FakeClock
) -> Iterator[Callable[[], ChatService]]:
    """Start the service, ending the one before."""
    running: list[ChatService] = []

    def start() -> ChatService:
        for service in running:
            service.close()
        service = ChatService(
            lambda: Database.open(store_path, STORE_KEY),
            generator,
            documents,
            clock,
        )
        running.append(service)
        return service

    yield start
    running[-1].close()


def test_answers_are_made_as_the_conversation_says(
    reopen: Callable[[], ChatService], generator: FakeGenerator
) -> None:
    service = reopen()
    generator.default_sampling = Sampling(temperature=0.7, top_p=0.6)
    service.send("c", "Hello").wait(WAIT_S)
    assert generator.requests[-1].sampling == Sampling(temperature=0.7, top_p=0.6)
    service.set_answer_settings("c", ALL).result(WAIT_S)
    service.send("c", "Hello").wait(WAIT_S)
    assert generator.requests[-1].sampling == effective_sampling(Sampling(), ALL)
    assert generator.requests[-1].messages[0].content == "Be brief."
    service.send("another", "Hello").wait(WAIT_S)
    assert generator.requests[-1].sampling == Sampling(temperature=0.7, top_p=0.6)
    again = reopen()
    assert again.answer_settings("c").result(WAIT_S) == ALL
    assert again.open("c").result(WAIT_S).settings == ALL


def test_settings_chosen_before_the_first_question_are_kept_with_it(
    reopen: Callable[[], ChatService], generator: FakeGenerator
) -> None:
    service = reopen()
    service.set_answer_settings("c", ALL).result(WAIT_S)
    assert service.answer_settings("c").result(WAIT_S) == ALL
    assert service.open("c").result(WAIT_S).settings == ALL
    assert service.conversations().result(WAIT_S) == ()
    service.send("c", "Hello").wait(WAIT_S)
    assert generator.requests[-1].sampling.seed == 7
    assert reopen().answer_settings("c").result(WAIT_S) == ALL


def test_settings_of_a_conversation_that_was_never_used_are_forgotten(
    reopen: Callable[[], ChatService],
) -> None:
    reopen().set_answer_settings("c", ALL).result(WAIT_S)
    assert reopen().answer_settings("c").result(WAIT_S) == AnswerSettings()


def test_an_empty_system_prompt_sends_none(service: ChatService, generator: FakeGenerator) -> None:
    service.set_answer_settings("c", AnswerSettings(system_prompt="")).result(WAIT_S)
    service.send("c", "Hello").wait(WAIT_S)
    assert [message.role for message in generator.requests[-1].messages] == ["user"]
    assert service.context_use("c", "").result(WAIT_S).used_tokens == 5 + 7 + 4
