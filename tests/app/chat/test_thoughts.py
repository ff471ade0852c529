from app.chat.service import ChatService
from inference.errors import WorkerDied
from tests.fakes import FakeGenerator

WAIT_S = 10.0


def test_a_thought_is_shown_apart_and_kept_with_its_time(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.say("It is four.", thought="Two and two ")
    generator.hold()
    turn = service.send("c", "What is 2 + 2?")
    generator.step(2)
    view = turn.view()
    assert (view.stage, view.thought, view.text, view.thought_s) == (
        "thinking",
        "Two and ",
        "",
        0.0,
    )
    generator.step(2)
    view = turn.view()
    assert (view.stage, view.thought, view.text) == ("writing", "Two and two ", "It ")
    assert view.thought_s > 0
    generator.release()
    view = turn.wait(WAIT_S)
    assert view.message is not None
    assert (view.message.text, view.message.thought) == ("It is four.", "Two and two ")
    assert (view.thought_s, view.message.thought_s) == (0.1 * 3, 0.1 * 3)
    assert service.open("c").result(WAIT_S).messages[1] == view.message


def test_a_thought_is_never_told_and_never_found(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.say("It is four.", thought="Sums are easy ")
    service.send("c", "What is 2 + 2?").wait(WAIT_S)
    service.send("c", "And 3 + 3?").wait(WAIT_S)
    told = [message.content for message in generator.requests[-1].messages[1:]]
    assert told == ["What is 2 + 2?", "It is four.", "And 3 + 3?"]
    assert service.search("easy").result(WAIT_S) == ()
    assert len(service.search("four").result(WAIT_S)) == 1


def test_a_thought_is_kept_while_it_grows(service: ChatService, generator: FakeGenerator) -> None:
    generator.say("", thought="one two three")
    generator.hold()
    turn = service.send("c", "Think")
    generator.step(2)
    kept = ""
    while kept != "one two ":
        kept = service.open("c").result(WAIT_S).messages[1].thought
    turn.cancel()
    message = turn.wait(WAIT_S).message
    assert message is not None
    assert (message.state, message.text, message.thought) == ("cancelled", "", "one two ")
    assert message.thought_s == 0.1 * 2


def test_another_answer_that_only_thought_leaves_the_good_one(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.say("good")
    generator.say("", thought="hm")
    generator.fail(WorkerDied())
    first = service.send("c", "Question").wait(WAIT_S).message
    service.regenerate("c").wait(WAIT_S)
    assert service.open("c").result(WAIT_S).messages[1] == first
