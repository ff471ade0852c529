"""What the page says and does about the model's window, and about answers that ended too early."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.service import ChatService
from app.chat.values import AnswerSettings, Overflow
from tests.fakes import FakeGenerator
from tests.ui.chat.test_page import last_answer, wait_for_answers, write
from tests.ui.finding import button, only
from ui.chat.aside import Aside
from ui.chat.page import ChatPage

WINDOW_TOKENS = 160


def ask_until_full(page: ChatPage, qtbot: QtBot, overflow: Overflow) -> None:
    """Ask questions that do not all fit; the last one is the first that does not."""
    settings = AnswerSettings(system_prompt="", max_new_tokens=20, overflow=overflow)
    page._chat.set_answer_settings(page.conversation_id, settings).result(10)
    page.use_settings(page.conversation_id, settings)
    for count in range(1, 5):
        write(page, qtbot, "word " * 20)
        wait_for_answers(page, qtbot, count)


@pytest.mark.parametrize(
    ("text", "overflow"),
    [("Drop older messages", "drop"), ("Summarize older messages", "summarize")],
)
def test_a_full_window_asks_and_the_question_is_asked_again(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator, text: str, overflow: Overflow
) -> None:
    generator.context_tokens = WINDOW_TOKENS
    ask_until_full(page, qtbot, "ask")
    state = last_answer(page).state_row
    assert state is not None
    assert state.text.startswith("With this question the conversation is")
    assert button(state, "Try again").isHidden()
    button(state, text).click()

    def is_answered() -> bool:
        last = page.model.last()
        return last is not None and last.state in ("complete", "length")

    qtbot.waitUntil(is_answered)
    kept = page._chat.answer_settings(page.conversation_id).result(10)
    assert (kept.overflow, kept.max_new_tokens) == (overflow, 20)


@pytest.mark.parametrize(
    ("overflow", "said"),
    [
        ("drop", "Older messages will leave the model's view"),
        ("summarize", "Older messages will be summarized for the model"),
        ("ask", "The conversation is too long: Snug will ask what to do"),
    ],
)
def test_what_sending_does_to_older_messages_is_said_before(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator, overflow: Overflow, said: str
) -> None:
    generator.context_tokens = WINDOW_TOKENS
    settings = AnswerSettings(system_prompt="", max_new_tokens=20, overflow=overflow)
    page._chat.set_answer_settings(page.conversation_id, settings).result(10)
    page.use_settings(page.conversation_id, settings)
    for count in range(1, 3):
        write(page, qtbot, "word " * 20)
        wait_for_answers(page, qtbot, count)
    page.composer.set_text("word " * 60)
    qtbot.waitUntil(lambda: page.composer.hint == said)
    assert page.composer.can_send
    page.composer.set_text("word")
    qtbot.waitUntil(lambda: page.composer.hint.startswith("Enter to send"))


def test_a_document_counts_as_soon_as_it_is_there(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator, tmp_path: Path
) -> None:
    generator.context_tokens = WINDOW_TOKENS
    file = tmp_path / "report.txt"
    file.write_text("word " * 1_000)
    page.attach([file])
    qtbot.waitUntil(lambda: "answer comes from the passages" in page.composer.hint)
    assert page.composer.can_send
    (document,) = page.composer.documents.documents
    page.composer.documents.remove(document)
    qtbot.waitUntil(lambda: page.composer.hint.startswith("Enter to send"))


def test_an_answer_at_its_limit_goes_on_where_it_stands(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    settings = AnswerSettings(max_new_tokens=2)
    page._chat.set_answer_settings(page.conversation_id, settings).result(10)
    generator.say("one two three")
    generator.say("three")
    write(page, qtbot, "Count")
    wait_for_answers(page, qtbot, 1)
    answer = page.model.last()
    assert answer is not None
    assert (answer.text, answer.state) == ("one two ", "length")
    state = last_answer(page).state_row
    assert state is not None
    assert button(state, "Try again").isHidden()
    button(state, "Continue").setFocus()
    button(state, "Continue").click()
    qtbot.waitUntil(lambda: page.model.text(1) == "one two three")
    assert page.focusWidget() is page.composer.field
    wait_for_answers(page, qtbot, 1)
    grown = page.model.last()
    assert grown is not None
    assert (grown.id, grown.state) == (answer.id, "complete")
    assert generator.requests[-1].continues


def test_a_stopped_answer_can_go_on_too(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.hold()
    write(page, qtbot, "one two three")
    generator.wait_for_requests(1)
    generator.step(2)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2 and bool(page.model.text(1)))
    page.stop()
    wait_for_answers(page, qtbot, 1)
    generator.release()
    generator.say("the rest")
    state = last_answer(page).state_row
    assert state is not None
    button(state, "Continue").click()
    qtbot.waitUntil(lambda: page.model.text(1) == "You said: the rest")


def prefilled(generator: FakeGenerator) -> list[str]:
    return [request.messages[-1].content for request in generator.prefilled]


def test_a_draft_is_read_ahead_once_typing_has_paused(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    qtbot.keyClicks(page.composer.field, "What is a cat")
    qtbot.waitUntil(lambda: bool(generator.prefilled))
    assert prefilled(generator) == ["What is a cat"]


def test_an_opened_conversation_is_read_ahead_and_left_alone_when_it_is_left(
    page: ChatPage, qtbot: QtBot, service: ChatService, generator: FakeGenerator
) -> None:
    conversation_id = service.new_id()
    service.send(conversation_id, "Good morning").wait(10)
    page.show_conversation(conversation_id)
    ours = lambda: [one for one in generator.prefilled if one.session_id == conversation_id]  # noqa: E731
    qtbot.waitUntil(lambda: bool(ours()))
    assert "Good morning" in [message.content for message in ours()[-1].messages]
    page.show_conversation(None)
    qtbot.waitUntil(lambda: ours()[-1].cancelled)


def test_a_document_is_read_ahead_once_it_is_there(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_text("Costs fell.")
    page.attach([file])
    qtbot.waitUntil(lambda: any("Costs fell." in text for text in prefilled(generator)))


def test_what_was_sent_is_not_read_ahead(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    qtbot.keyClicks(page.composer.field, "Good morning")
    qtbot.keyClick(page.composer.field, Qt.Key.Key_Return)
    wait_for_answers(page, qtbot, 1)
    qtbot.waitUntil(lambda: bool(generator.prefilled))
    assert "Good morning" not in prefilled(generator)


def test_a_thought_of_the_model_is_folded_above_its_answer(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.hold()
    generator.say("Paris.", thought="Let me see. France")
    write(page, qtbot, "What is the capital?")
    generator.wait_for_requests(1)
    generator.step(2)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2 and page.model.row(1).stage == "thinking")
    aside = only(last_answer(page), Aside)
    assert aside.head.text().startswith("Thinking…")
    generator.release()
    wait_for_answers(page, qtbot, 1)
    assert aside.head.text().startswith("Thought for")
    aside.head.click()
    assert aside.text == "Let me see. France"
    assert page.model.text(1) == "Paris."


def test_what_an_answer_said_is_kept_when_the_window_is_full_behind_it(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    settings = AnswerSettings(system_prompt="", max_new_tokens=20, overflow="ask")
    page._chat.set_answer_settings(page.conversation_id, settings).result(10)
    for count in range(1, 3):
        generator.say("first " * 30)
        write(page, qtbot, "word " * 20)
        wait_for_answers(page, qtbot, count)
    said = page.model.last()
    assert said is not None
    assert said.state == "length"

    def failed() -> bool:
        last = page.model.last()
        return last is not None and last.error_code == "context_full"

    generator.context_tokens = 100
    page.view.continue_requested.emit()
    qtbot.waitUntil(failed)
    state = last_answer(page).state_row
    assert state is not None
    generator.say("second")
    button(state, "Drop older messages").click()
    qtbot.waitUntil(lambda: page.model.last() is not None and not failed())
    qtbot.waitUntil(lambda: page.model.last().state == "complete")  # type: ignore[union-attr]
    last = page.model.last()
    assert last is not None
    assert last.id == said.id
    assert last.text.startswith(said.text)
    assert last.text.endswith("second")
