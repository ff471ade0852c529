import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.archive import Archive
from app.chat.asking import new_answer, new_question
from app.chat.outcome import joined
from app.chat.service import ChatService
from app.chat.values import AnswerMetrics, AnswerSettings, Message
from app.store.database import Database
from inference.errors import WorkerDied
from tests.fakes import STORE_KEY, FakeGenerator

WAIT_S = 10.0
METRICS = AnswerMetrics(100, 10, 11, 0.5, 2.0, 10.0, "m", None, 90.0, 4, 2)


def last(service: ChatService) -> Message:
    return service.open("c").result(WAIT_S).messages[-1]


def ask_for_three_words(service: ChatService, generator: FakeGenerator) -> Message:
    service.set_answer_settings("c", AnswerSettings(max_new_tokens=3)).result(WAIT_S)
    generator.say("one two three four five")
    message = service.send("c", "Count").wait(WAIT_S).message
    assert message is not None
    return message


def test_an_answer_at_its_limit_goes_on_in_its_place(
    service: ChatService, generator: FakeGenerator
) -> None:
    first = ask_for_three_words(service, generator)
    assert (first.state, first.text) == ("length", "one two three ")
    generator.say("four five")
    generator.hold()
    turn = service.continue_answer("c")
    assert (turn.answer_id, turn.view().text) == (first.id, "one two three ")
    generator.step(1)
    assert turn.view().text == "one two three four "
    request = generator.requests[-1]
    assert request.continues
    told = [(message.role, message.content) for message in request.messages[1:]]
    assert told == [("user", "Count"), ("assistant", "one two three ")]
    generator.release()
    message = turn.wait(WAIT_S).message
    assert message is not None
    assert (message.id, message.state, message.text) == (
        first.id,
        "complete",
        "one two three four five",
    )
    assert message.metrics is not None
    assert message.metrics.generated_tokens == 5
    assert last(service) == message
    assert len(service.open("c").result(WAIT_S).messages) == 2
    assert len(service.search("five").result(WAIT_S)) == 1


def test_it_may_go_on_more_than_once(service: ChatService, generator: FakeGenerator) -> None:
    ask_for_three_words(service, generator)
    generator.say("four five six seven")
    assert service.continue_answer("c").wait(WAIT_S).text == "one two three four five six "
    generator.say("seven")
    assert service.continue_answer("c").wait(WAIT_S).text == "one two three four five six seven"
    service.send("c", "Thanks").wait(WAIT_S)
    told = [message.content for message in generator.requests[-1].messages[1:]]
    assert told == ["Count", "one two three four five six seven", "Thanks"]


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_what_was_stopped_or_failed_on_its_way_goes_on_as_well(
    service: ChatService, generator: FakeGenerator, how: str
) -> None:
    if how == "failed":
        generator.fail(WorkerDied(), after="one two ")
        service.send("c", "Count").wait(WAIT_S)
    else:
        generator.say("one two three")
        generator.hold()
        turn = service.send("c", "Count")
        generator.step(2)
        turn.cancel()
        turn.wait(WAIT_S)
        generator.release()
    generator.say("three")
    message = service.continue_answer("c").wait(WAIT_S).message
    assert message is not None
    assert (message.state, message.text, message.error_code) == ("complete", "one two three", "")


def test_a_continuation_that_fails_keeps_what_was_there(
    service: ChatService, generator: FakeGenerator
) -> None:
    first = ask_for_three_words(service, generator)
    generator.fail(WorkerDied())
    service.continue_answer("c").wait(WAIT_S)
    message = last(service)
    assert (message.id, message.text, message.state) == (first.id, first.text, "failed")
    assert message.metrics == first.metrics


def test_what_could_not_be_put_in_order_at_the_start_goes_on_too(store_path: Path) -> None:
    question = new_question("c", created_s=1.0, text="Count")
    answer = new_answer("c", created_s=1.0)
    database = Database.open(store_path, STORE_KEY)
    before = Archive(database)
    before.ask(question, answer, title="Count", model_id="")
    before.write(answer.id, "one two ")
    after = Archive(database)  # a full disk keeps it from settling what the last run left
    assert after.open("c").messages[-1].state == "interrupted"
    assert after.answer_on(answer).text == "one two "
    assert after.open("c").messages[-1].state == "streaming"
    database.close()


def test_asked_twice_it_goes_on_once(service: ChatService, generator: FakeGenerator) -> None:
    ask_for_three_words(service, generator)
    generator.say("four five")
    generator.hold()
    turn = service.continue_answer("c")
    assert service.continue_answer("c") is turn
    generator.release()
    assert turn.wait(WAIT_S).text == "one two three four five"
    assert len(generator.requests) == 2


def test_there_must_be_something_to_continue(
    service: ChatService, generator: FakeGenerator
) -> None:
    def refused() -> bool:
        message = service.continue_answer("c").wait(WAIT_S).message
        return message is not None and message.error_code == "empty_prompt"

    assert refused(), "nothing was ever asked"
    generator.say("All of it.")
    complete = service.send("c", "Count").wait(WAIT_S).message
    assert refused(), "the last answer is complete"
    generator.say("one two")
    generator.hold()
    running = service.send("c", "Count")
    generator.step(1)
    generator.release()
    assert refused(), "an answer runs" if running.view().message is None else "it is complete"
    assert service.open("c").result(WAIT_S).messages[1] == complete
    assert last(service).text == "one two"


def test_many_threads_may_ask_for_the_rest(service: ChatService, generator: FakeGenerator) -> None:
    ask_for_three_words(service, generator)
    generator.say("four five")
    generator.hold()
    turns = []
    threads = [
        threading.Thread(target=lambda: turns.append(service.continue_answer("c")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(turns)) == 1
    generator.release()
    assert turns[0].wait(WAIT_S).text == "one two three four five"


def test_the_measurements_of_both_goes_are_joined() -> None:
    more = replace(
        METRICS,
        prompt_tokens=111,
        generated_tokens=6,
        seconds=1.0,
        tokens_per_s=5.0,
        drafted_tokens=3,
        accepted_tokens=1,
        model_id="other",
    )
    both = joined(METRICS, more)
    assert both is not None
    assert (both.prompt_tokens, both.cached_tokens, both.ttft_s) == (100, 10, 0.5)
    assert (both.generated_tokens, both.seconds, both.model_id) == (17, 3.0, "other")
    assert (both.drafted_tokens, both.accepted_tokens) == (7, 3)
    assert both.tokens_per_s == pytest.approx(15 / 2.0)
    assert joined(METRICS, None) == METRICS
    assert joined(None, more) == more
    still = joined(replace(METRICS, tokens_per_s=0.0), replace(more, tokens_per_s=0.0))
    assert still is not None
    assert still.tokens_per_s == 0.0
