import threading
from pathlib import Path

import pytest

from app.chat import prompts
from app.chat.service import ChatService
from app.chat.values import AnswerSettings
from app.errors import StoreBusy
from inference.errors import WorkerDied
from inference.types import ChatMessage
from tests.fakes import FakeClock, FakeDocuments, FakeGenerator, FakeRequest

WAIT_S = 10.0
SYSTEM = ChatMessage("system", prompts.system_prompt())


def last(service: ChatService, generator: FakeGenerator) -> FakeRequest:
    """Return what was computed ahead last, once the service has done what was asked so far."""
    service.conversations().result(WAIT_S)
    return generator.prefilled[-1]


def test_what_is_computed_ahead_is_what_is_sent(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.set_answer_settings("c", AnswerSettings(system_prompt="Be brief.")).result(WAIT_S)
    for draft in ("First question", "Second question\n"):
        service.warm("c", draft)
        ahead = last(service, generator)
        service.send("c", draft.strip()).wait(WAIT_S)
        assert ahead.session_id == "c"
        assert ahead.messages == generator.requests[-1].messages


def test_without_a_draft_the_history_is_certain(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c")
    assert last(service, generator).messages == (SYSTEM,)
    service.send("c", "First").wait(WAIT_S)
    service.warm("c")
    ahead = last(service, generator).messages
    assert [message.content for message in ahead] == [SYSTEM.content, "First", "You said: First"]
    service.send("c", "Second").wait(WAIT_S)
    assert generator.requests[-1].messages[: len(ahead)] == ahead


def test_a_document_counts_before_there_is_a_question(
    service: ChatService, generator: FakeGenerator, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("The rent is due.", encoding="utf-8")
    attachment = service.attach("c", path).result(WAIT_S)
    service.warm("c", "", (attachment,))
    ahead = last(service, generator).messages
    service.send("c", "Tell me of it.", (attachment,)).wait(WAIT_S)
    sent = generator.requests[-1].messages
    assert "The rent is due." in ahead[-1].content
    assert sent[-1].content == f"{ahead[-1].content}\n\nTell me of it."
    assert sent[:-1] == ahead[:-1]


def test_documents_of_a_question_that_failed_are_certain_too(
    service: ChatService, generator: FakeGenerator, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("The rent is due.", encoding="utf-8")
    attachment = service.attach("c", path).result(WAIT_S)
    generator.fail(WorkerDied())
    service.send("c", "Tell me of it.", (attachment,)).wait(WAIT_S)
    service.warm("c")
    (_, message) = last(service, generator).messages
    assert "The rent is due." in message.content
    assert "Tell me of it." not in message.content


def test_nothing_is_computed_while_a_turn_runs_and_once_more_after_it(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c", "Question")
    before = last(service, generator)
    generator.say("An answer", thought="Hm, ")
    generator.hold()
    turn = service.send("c", "Question")
    service.warm("c")
    service.conversations().result(WAIT_S)
    assert before.cancelled
    assert len(generator.prefilled) == 1
    generator.release()
    turn.wait(WAIT_S)
    told = [message.content for message in last(service, generator).messages[1:]]
    assert told == ["Question", "An answer"]
    assert len(generator.prefilled) == 2


def test_a_conversation_that_nobody_looks_at_is_not_warmed(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.send("c", "Question").wait(WAIT_S)
    service.warm("d")
    service.conversations().result(WAIT_S)
    service.send("c", "Question").wait(WAIT_S)
    service.conversations().result(WAIT_S)
    assert [request.session_id for request in generator.prefilled] == ["d"]


def test_a_draft_that_was_sent_is_forgotten(service: ChatService, generator: FakeGenerator) -> None:
    service.warm("c", "Question")
    service.send("c", "Question").wait(WAIT_S)
    told = [message.content for message in last(service, generator).messages[1:]]
    assert told == ["Question", "You said: Question"]


def test_only_the_newest_draft_is_computed(service: ChatService, generator: FakeGenerator) -> None:
    busy = threading.Event()
    service._serial.submit(lambda: busy.wait(WAIT_S))
    for draft in ("W", "Wh", "Why"):
        service.warm("c", draft)
    busy.set()
    assert last(service, generator).messages[-1].content == "Why"
    assert len(generator.prefilled) == 1


def test_another_conversation_takes_the_place(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c", "Why")
    first = last(service, generator)
    service.warm("c", "Why not")
    second = last(service, generator)
    assert (first.cancelled, second.cancelled) == (True, False)
    service.warm("d")
    assert second.cancelled
    assert last(service, generator).session_id == "d"


@pytest.mark.parametrize("how", ["cool", "delete", "close"])
def test_it_ends_when_it_is_of_no_use(
    service: ChatService, generator: FakeGenerator, how: str
) -> None:
    service.send("c", "Question").wait(WAIT_S)
    service.warm("c", "Why")
    request = last(service, generator)
    if how == "cool":
        service.cool()
    elif how == "delete":
        service.delete("c").result(WAIT_S)
    else:
        service.close()
    assert request.cancelled


def test_after_the_end_nothing_is_warm_any_more(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c")
    service.cool()
    service.cool()
    service.send("c", "Question").wait(WAIT_S)
    service.conversations().result(WAIT_S)
    assert len(generator.prefilled) <= 1


def test_without_a_loaded_model_nothing_is_computed(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.device = None
    service.warm("c", "Why")
    service.conversations().result(WAIT_S)
    assert generator.prefilled == []


def test_a_draft_that_cannot_be_sent_is_not_computed(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c", "word " * 5000)
    service.conversations().result(WAIT_S)
    assert generator.prefilled == []


def test_trouble_with_the_store_is_told_by_sending(generator: FakeGenerator) -> None:
    def refuse() -> None:
        raise StoreBusy

    service = ChatService(refuse, generator, FakeDocuments(), FakeClock())  # type: ignore[arg-type]
    service.warm("c", "Why")
    message = service.send("c", "Why").wait(WAIT_S).message
    assert message is not None
    assert message.error_code == "store_busy"
    service.close()
    assert generator.prefilled == []


def test_another_system_prompt_is_computed_at_once(
    service: ChatService, generator: FakeGenerator
) -> None:
    service.warm("c", "Why")
    service.set_answer_settings("c", AnswerSettings(system_prompt="Be brief.")).result(WAIT_S)
    assert last(service, generator).messages[0].content == "Be brief."
