from pathlib import Path

from app.chat.service import ChatService
from app.chat.values import Message
from app.documents.intake import IntakeProgress
from inference.errors import WorkerDied
from tests.fakes import FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0


def messages(service: ChatService, conversation_id: str) -> tuple[Message, ...]:
    return service.open(conversation_id).result(WAIT_S).messages


def test_a_question_and_its_answer_are_kept(service: ChatService, generator: FakeGenerator) -> None:
    generator.say("Good morning to you.")
    turn = service.send(service.new_id(), "Hello there")
    view = turn.wait(WAIT_S)
    assert (view.stage, view.text) == ("done", "Good morning to you.")
    question, answer = messages(service, turn.conversation_id)
    assert (question.role, question.text, question.state) == ("user", "Hello there", "complete")
    assert answer == view.message
    assert (answer.role, answer.text, answer.state) == (
        "assistant",
        "Good morning to you.",
        "complete",
    )
    assert answer.metrics is not None
    assert answer.metrics.generated_tokens == 4
    assert answer.metrics.model_id == "fake"


def test_the_model_is_told_the_history(service: ChatService, generator: FakeGenerator) -> None:
    conversation_id = service.new_id()
    generator.say("First answer")
    service.send(conversation_id, "First question").wait(WAIT_S)
    service.send(conversation_id, "Second question").wait(WAIT_S)
    told = [(message.role, message.content) for message in generator.requests[-1].messages]
    assert told[0][0] == "system"
    assert told[1:] == [
        ("user", "First question"),
        ("assistant", "First answer"),
        ("user", "Second question"),
    ]
    assert {request.session_id for request in generator.requests} == {conversation_id}


def test_an_answer_grows_word_by_word_and_is_kept_while_it_grows(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.say("one two three")
    generator.hold()
    turn = service.send(service.new_id(), "Count")
    generator.step(2)
    assert turn.view().text == "one two "
    assert turn.view().stage == "writing"
    assert service.turns(turn.conversation_id) == (turn,)
    generator.release()
    assert turn.wait(WAIT_S).text == "one two three"
    assert service.turns(turn.conversation_id) == ()


def test_cancel_keeps_what_was_written(service: ChatService, generator: FakeGenerator) -> None:
    generator.say("one two three")
    generator.hold()
    turn = service.send(service.new_id(), "Count")
    generator.step(1)
    turn.cancel()
    view = turn.wait(WAIT_S)
    assert view.message is not None
    assert (view.message.state, view.message.text) == ("cancelled", "one ")
    assert messages(service, turn.conversation_id)[1] == view.message


def test_a_failed_answer_keeps_the_question_the_text_and_the_reason(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.fail(WorkerDied(exit_code=-9), after="I was about to")
    turn = service.send(service.new_id(), "Tell me")
    turn.wait(WAIT_S)
    question, answer = messages(service, turn.conversation_id)
    assert question.text == "Tell me"
    assert (answer.state, answer.text) == ("failed", "I was about to")
    assert (answer.error_code, answer.error_facts) == ("worker_died", {"exit_code": -9})


def test_an_empty_question_is_refused_and_nothing_is_kept(
    service: ChatService, generator: FakeGenerator
) -> None:
    turn = service.send(service.new_id(), " \n ")
    message = turn.wait(WAIT_S).message
    assert message is not None
    assert (message.state, message.error_code) == ("failed", "empty_prompt")
    assert not turn.is_kept
    assert service.conversations().result(WAIT_S) == ()
    assert generator.requests == []


def test_a_second_question_waits_until_the_first_is_answered(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    generator.say("one two")
    generator.say("three")
    generator.hold()
    first = service.send(conversation_id, "First")
    second = service.send(conversation_id, "Second")
    generator.step(1)
    assert second.view().stage == "waiting"
    assert [message.text for message in messages(service, conversation_id)][::2] == [
        "First",
        "Second",
    ]
    generator.release()
    second.wait(WAIT_S)
    assert first.view().text == "one two"
    told = [message.content for message in generator.requests[-1].messages[1:]]
    assert told == ["First", "one two", "Second"]
    assert [message.text for message in messages(service, conversation_id)] == [
        "First",
        "one two",
        "Second",
        "three",
    ]


def test_a_waiting_question_can_be_cancelled(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    generator.hold()
    service.send(conversation_id, "First")
    second = service.send(conversation_id, "Second")
    second.cancel()
    generator.release()
    message = second.wait(WAIT_S).message
    assert message is not None
    assert message.state == "cancelled"
    assert len(generator.requests) == 1


def test_conversations_are_answered_side_by_side(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.hold()
    turns = [service.send(service.new_id(), name) for name in ("one", "two", "three")]
    generator.wait_for_requests(3)
    generator.release()
    assert [turn.wait(WAIT_S).text for turn in turns] == [
        "You said: one",
        "You said: two",
        "You said: three",
    ]


def test_another_answer_takes_the_place_of_the_last(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    generator.say("old")
    generator.say("new")
    service.send(conversation_id, "Question").wait(WAIT_S)
    turn = service.regenerate(conversation_id)
    turn.wait(WAIT_S)
    assert turn.question is None
    question, answer = messages(service, conversation_id)
    assert (question.text, answer.text, answer.id) == ("Question", "new", turn.answer_id)
    assert [message.content for message in generator.requests[-1].messages[1:]] == ["Question"]


def test_another_answer_that_fails_at_once_leaves_the_good_one(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    generator.say("good")
    generator.fail(WorkerDied())
    first = service.send(conversation_id, "Question")
    first.wait(WAIT_S)
    message = service.regenerate(conversation_id).wait(WAIT_S).message
    assert message is not None
    assert message.error_code == "worker_died"
    assert messages(service, conversation_id)[1] == first.view().message


def test_another_answer_asked_for_while_a_question_waits_is_for_the_one_before(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    for text in ("old", "new", "last"):
        generator.say(text)
    generator.hold()
    service.send(conversation_id, "First")
    service.regenerate(conversation_id)
    last = service.send(conversation_id, "Second")
    generator.release()
    last.wait(WAIT_S)
    assert [message.text for message in messages(service, conversation_id)] == [
        "First",
        "new",
        "Second",
        "last",
    ]


def test_nothing_can_be_answered_again_in_an_empty_conversation(service: ChatService) -> None:
    message = service.regenerate(service.new_id()).wait(WAIT_S).message
    assert message is not None
    assert message.error_code == "empty_prompt"


def test_the_first_line_becomes_the_title_until_it_is_renamed(service: ChatService) -> None:
    conversation_id = service.new_id()
    service.send(conversation_id, "\nWrite a letter\nto the landlord").wait(WAIT_S)
    (conversation,) = service.conversations().result(WAIT_S)
    assert conversation.title == "Write a letter"
    service.rename(conversation_id, " Letter ").result(WAIT_S)
    service.send(conversation_id, "Another").wait(WAIT_S)
    (conversation,) = service.conversations().result(WAIT_S)
    assert conversation.title == "Letter"


def test_the_conversation_used_last_comes_first(service: ChatService, clock: FakeClock) -> None:
    ids = [service.new_id() for _ in range(3)]
    for conversation_id in (*ids, ids[0]):
        clock.advance(60)
        service.send(conversation_id, conversation_id).wait(WAIT_S)
    listed = [conversation.id for conversation in service.conversations().result(WAIT_S)]
    assert listed == [ids[0], ids[2], ids[1]]


def test_a_deleted_conversation_comes_back_whole(
    service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    service.send(conversation_id, "Keep this").wait(WAIT_S)
    before = service.open(conversation_id).result(WAIT_S)
    service.delete(conversation_id).result(WAIT_S)
    assert service.conversations().result(WAIT_S) == ()
    assert service.search("keep").result(WAIT_S) == ()
    assert generator.dropped == [conversation_id]
    service.undo_delete(conversation_id).result(WAIT_S)
    assert service.open(conversation_id).result(WAIT_S) == before
    assert [hit.match for hit in service.search("keep").result(WAIT_S)] == ["Keep", "Keep"]


def test_deleting_a_conversation_stops_its_answer(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.say("one two three")
    generator.hold()
    turn = service.send(service.new_id(), "Count")
    generator.step(1)
    service.delete(turn.conversation_id).result(WAIT_S)
    assert turn.wait(WAIT_S).text == "one "
    assert service.conversations().result(WAIT_S) == ()


def test_an_attached_document_is_told_with_the_message_that_carries_it(
    service: ChatService, generator: FakeGenerator, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("The rent is due.\fOn Monday.", encoding="utf-8")
    conversation_id = service.new_id()
    job = service.attach(conversation_id, path)
    attachment = job.result(WAIT_S)
    assert job.progress() == IntakeProgress("reading", 2, 2)
    assert (attachment.name, attachment.report.total) == ("notes.txt", 2)
    service.send(conversation_id, "Tell me of it.", (attachment,)).wait(WAIT_S)
    service.send(conversation_id, "What is due?").wait(WAIT_S)
    question = messages(service, conversation_id)[0]
    assert (question.text, question.attachments) == ("Tell me of it.", (attachment,))
    told = generator.requests[-1].messages
    assert "[Page 1]\nThe rent is due.\n\n[Page 2]\nOn Monday." in told[1].content
    assert told[1].content.endswith("\n\nTell me of it.")
    assert told[3].content == "What is due?"


def test_a_summary_grows_and_becomes_part_of_the_history(
    service: ChatService, generator: FakeGenerator, documents: FakeDocuments, tmp_path: Path
) -> None:
    path = tmp_path / "report.txt"
    path.write_text("Sales rose.\fCosts fell.", encoding="utf-8")
    conversation_id = service.new_id()
    attachment = service.attach(conversation_id, path).result(WAIT_S)
    turn = service.summarize(conversation_id, (attachment,))
    view = turn.wait(WAIT_S)
    assert "- Sales rose. (p. 1)\n- Costs fell. (p. 2)" in view.text
    assert "2 of 2 pages read" in view.text
    (conversation,) = service.conversations().result(WAIT_S)
    assert conversation.title == "report.txt"
    service.send(conversation_id, "Why?").wait(WAIT_S)
    told = [message.content for message in generator.requests[-1].messages[1:]]
    assert told == ["Summarize report.txt.", view.text, "Why?"]
    assert [message.kind for message in messages(service, conversation_id)] == [
        "summary",
        "summary",
        "chat",
        "chat",
    ]


def test_a_cancelled_summary_keeps_what_it_had(
    service: ChatService, documents: FakeDocuments, tmp_path: Path
) -> None:
    path = tmp_path / "report.txt"
    path.write_text("One.\fTwo.\fThree.", encoding="utf-8")
    conversation_id = service.new_id()
    attachment = service.attach(conversation_id, path).result(WAIT_S)
    documents.hold()
    turn = service.summarize(conversation_id, (attachment,))
    documents.step()
    while not turn.view().text:
        turn.wait(0.01)
    turn.cancel()
    message = turn.wait(WAIT_S).message
    assert message is not None
    assert message.state == "cancelled"
    assert "- One. (p. 1)" in message.text
    assert "Two." not in message.text
    assert messages(service, conversation_id)[1] == message
