import threading
from pathlib import Path

import apsw
import pytest

from app.chat.service import ChatService
from app.chat.values import Attachment, Message
from app.documents.values import IntakeReport
from app.errors import AppError, DocumentLocked, StoreBusy, WrongKey
from app.store.database import Database
from inference.errors import Cancelled, ModelNotLoaded
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0


class Opening:
    """Opens the store once the trouble is over."""

    def __init__(self, path: Path, *errors: AppError) -> None:
        self._path = path
        self._errors = list(errors)

    def __call__(self) -> Database:
        if self._errors:
            raise self._errors.pop(0)
        return Database.open(self._path, STORE_KEY)


def build(
    opening: Opening, generator: FakeGenerator, documents: FakeDocuments | None = None
) -> ChatService:
    return ChatService(
        opening, generator, documents or FakeDocuments(), FakeClock(), commit_interval_s=0.01
    )


def ended(message: Message | None) -> tuple[str, str]:
    assert message is not None
    return message.state, message.error_code


def test_a_store_that_cannot_be_opened_is_tried_again(
    store_path: Path, generator: FakeGenerator
) -> None:
    service = build(Opening(store_path, StoreBusy(), WrongKey()), generator)
    with pytest.raises(StoreBusy):
        service.conversations().result(WAIT_S)
    with pytest.raises(WrongKey):
        service.conversations().result(WAIT_S)
    assert service.conversations().result(WAIT_S) == ()
    service.close()


def test_a_question_that_could_not_be_kept_is_not_asked(
    store_path: Path, generator: FakeGenerator
) -> None:
    service = build(Opening(store_path, StoreBusy()), generator)
    turn = service.send("c", "Precious text")
    assert ended(turn.wait(WAIT_S).message) == ("failed", "store_busy")
    assert not turn.is_kept
    assert turn.question is not None
    assert turn.question.text == "Precious text"
    assert generator.requests == []
    assert service.send("c", turn.question.text).wait(WAIT_S).text == "You said: Precious text"
    service.close()


def test_an_answer_asked_for_again_fails_when_the_store_does(
    store_path: Path, generator: FakeGenerator
) -> None:
    service = build(Opening(store_path, WrongKey()), generator)
    assert ended(service.regenerate("c").wait(WAIT_S).message) == ("failed", "wrong_key")
    service.close()


def test_without_a_model_the_question_is_kept(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.fail(ModelNotLoaded())
    turn = service.send("c", "Anybody there?")
    assert ended(turn.wait(WAIT_S).message) == ("failed", "model_not_loaded")
    assert turn.is_kept
    assert service.open("c").result(WAIT_S).messages[0].text == "Anybody there?"


def test_closing_stops_what_runs_and_keeps_it(store_path: Path, generator: FakeGenerator) -> None:
    generator.say("one two three")
    generator.hold()
    service = build(Opening(store_path), generator)
    running = service.send("c", "Count")
    waiting = service.send("c", "And more")
    generator.step(1)
    service.close()
    assert ended(running.view().message) == ("cancelled", "")
    assert ended(waiting.view().message) == ("cancelled", "")
    again = build(Opening(store_path), generator)
    kept = [(message.text, message.state) for message in again.open("c").result(WAIT_S).messages]
    again.close()
    assert kept == [
        ("Count", "complete"),
        ("one ", "cancelled"),
        ("And more", "complete"),
        ("", "cancelled"),
    ]


def test_what_is_asked_after_the_end_ends_at_once(service: ChatService) -> None:
    service.close()
    turn = service.send("c", "Too late")
    assert ended(turn.view().message) == ("cancelled", "")
    assert not turn.is_kept
    assert service.turns("c") == ()


def test_closing_does_not_wait_for_ever_for_a_generator(
    store_path: Path, generator: FakeGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.chat.service.CLOSING_S", 0.05)
    generator.say("one two")
    generator.hold()
    monkeypatch.setattr(generator, "cancel", lambda request: None)
    service = build(Opening(store_path), generator)
    turn = service.send("c", "Count")
    generator.step(1)
    service.close()
    assert ended(turn.view().message) == ("interrupted", "")
    assert turn.view().text == "one "
    generator.release()


def test_a_document_that_cannot_be_read_says_why(
    service: ChatService, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.fail(DocumentLocked(name="a.pdf"))
    job = service.attach("c", tmp_path / "a.pdf")
    with pytest.raises(DocumentLocked):
        job.result(WAIT_S)


def test_attaching_can_be_stopped(
    service: ChatService, documents: FakeDocuments, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ftwo", encoding="utf-8")
    documents.hold()
    job = service.attach("c", path)
    assert job.cancel()
    with pytest.raises(Cancelled):
        job.result(WAIT_S)
    assert not job.cancel()


def test_a_mistake_of_ours_in_a_summary_ends_the_turn(
    service: ChatService,
    documents: FakeDocuments,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_type))
    path = tmp_path / "a.txt"
    path.write_text("One.", encoding="utf-8")
    attachment = service.attach("c", path).result(WAIT_S)
    documents.fail(ZeroDivisionError())
    message = service.summarize("c", (attachment,)).wait(WAIT_S).message
    assert ended(message) == ("failed", "internal")
    assert message is not None
    assert "- One. (p. 1)" in message.text
    service.close()
    assert reported == [ZeroDivisionError]


def test_a_mistake_of_ours_in_counting_ends_the_turn(
    service: ChatService, generator: FakeGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_type))
    monkeypatch.setattr(generator, "count_tokens", lambda messages: 1 // 0)
    assert ended(service.send("c", "Count").wait(WAIT_S).message) == ("failed", "internal")
    service.conversations().result(WAIT_S)  # the mistake is reported before the next thing is done
    monkeypatch.undo()
    assert reported == [ZeroDivisionError]
    assert service.send("c", "Again").wait(WAIT_S).text == "You said: Again"


def test_a_mistake_of_ours_in_keeping_ends_the_turn(
    service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_type))
    unknown = Attachment("unknown", "a.pdf", 1, IntakeReport("page", 1, 1, 0, 0, 1))
    turn = service.send("c", "Read this", (unknown,))
    assert ended(turn.wait(WAIT_S).message) == ("failed", "internal")
    assert not turn.is_kept
    assert service.conversations().result(WAIT_S) == ()
    assert reported == [apsw.ConstraintError]


def test_many_threads_may_ask_at_once(service: ChatService) -> None:
    def ask(number: int) -> None:
        for question in range(5):
            service.send(f"c{number % 3}", f"{number}-{question}").wait(WAIT_S)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = []
    for number in range(3):
        messages = service.open(f"c{number}").result(WAIT_S).messages
        assert [message.role for message in messages] == ["user", "assistant"] * 10
        for question, answer in zip(messages[::2], messages[1::2], strict=True):
            assert answer.text == f"You said: {question.text}"
        answers += [message.text for message in messages]
    assert len(set(answers)) == 60
