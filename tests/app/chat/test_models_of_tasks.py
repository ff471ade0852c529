"""Before an answer begins, the model of its kind of task is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.service import ChatService
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def chat(
    store_path: Path,
    generator: FakeGenerator,
    documents: FakeDocuments,
    clock: FakeClock,
    asked: list[str],
) -> Iterator[ChatService]:
    service = ChatService(
        lambda: Database.open(store_path, STORE_KEY),
        generator,
        documents,
        clock,
        commit_interval_s=0.01,
        use_for=asked.append,
    )
    yield service
    generator.release()
    documents.release()
    service.close()


def test_each_kind_of_question_names_its_task(
    chat: ChatService, asked: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("The rent is due.", encoding="utf-8")
    conversation_id = chat.new_id()
    chat.send(conversation_id, "Hello").wait(WAIT_S)
    attachment = chat.attach(conversation_id, path).result(WAIT_S)
    chat.send(conversation_id, "Rewrite it.", (attachment,)).wait(WAIT_S)
    chat.summarize(conversation_id, (attachment,)).wait(WAIT_S)
    chat.send(conversation_id, "Thanks").wait(WAIT_S)
    assert asked == ["chat", "documents", "summary", "chat"]


def test_an_answer_that_goes_on_stays_with_its_model(
    chat: ChatService, generator: FakeGenerator, asked: list[str]
) -> None:
    generator.say("One two three four.")
    generator.hold()
    turn = chat.send(chat.new_id(), "Count")
    generator.step(2)
    turn.cancel()
    generator.release()
    turn.wait(WAIT_S)
    chat.continue_answer(turn.conversation_id).wait(WAIT_S)
    assert asked == ["chat"]
