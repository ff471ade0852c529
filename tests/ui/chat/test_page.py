"""The page over the real chat service: asking, reading, stopping, and nothing written lost."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.errors import DocumentLocked, StoreFull
from inference.errors import OutOfMemory
from tests.fakes import FakeDocuments, FakeGenerator
from tests.ui.chat.conftest import Store
from tests.ui.finding import button
from ui.chat.answer import AnswerWidget
from ui.chat.draft_documents import DraftDocument
from ui.chat.page import ChatPage
from ui.chat.prose import ProseSegment
from ui.theme import Theme


def write(page: ChatPage, qtbot: QtBot, text: str) -> None:
    page.composer.set_text(text)
    qtbot.keyClick(page.composer.field, Qt.Key.Key_Return)


def wait_for_answers(page: ChatPage, qtbot: QtBot, count: int) -> None:
    def ended() -> None:
        rows = [page.model.row(at) for at in range(page.model.rowCount())]
        answers = [row for row in rows if row.message.role == "assistant" and row.stage == "done"]
        assert len(answers) == count

    qtbot.waitUntil(ended)


def only_draft(page: ChatPage, qtbot: QtBot) -> DraftDocument:
    qtbot.waitUntil(lambda: len(page.composer.documents.documents) == 1)
    return page.composer.documents.documents[0]


def last_answer(page: ChatPage) -> AnswerWidget:
    widget = page.view.widget(page.model.rowCount() - 1)
    assert isinstance(widget, AnswerWidget)
    return widget


def test_a_question_is_answered_on_the_page(page: ChatPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.conversation_changed) as changed:
        write(page, qtbot, "Good morning")
    assert changed.args == [page.conversation_id]
    wait_for_answers(page, qtbot, 1)
    assert [page.model.text(at) for at in range(2)] == ["Good morning", "You said: Good morning"]
    assert page.composer.text == ""


def test_the_answer_is_shown_while_it_grows(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.hold()
    write(page, qtbot, "one two three")
    generator.wait_for_requests(1)
    generator.step(2)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2 and page.model.text(1) == "You said: ")
    assert page.composer.button.accessibleName() == "Stop"
    generator.release()
    wait_for_answers(page, qtbot, 1)
    assert page.composer.button.accessibleName() == "Send"


def test_escape_stops_and_the_page_says_so(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.hold()
    write(page, qtbot, "one two three")
    generator.wait_for_requests(1)
    generator.step(1)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    page.activateWindow()
    qtbot.keyClick(page.composer.field, Qt.Key.Key_Escape)
    wait_for_answers(page, qtbot, 1)
    state = last_answer(page).state_row
    assert state is not None
    assert state.text == "Stopped by you."


def test_a_failed_answer_is_a_sentence_with_a_way_to_try_again(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.fail(OutOfMemory(), after="It was")
    write(page, qtbot, "Tell me")
    wait_for_answers(page, qtbot, 1)
    state = last_answer(page).state_row
    assert state is not None
    assert state.text.startswith("There is not enough memory for this model.")
    qtbot.mouseClick(button(state, "Try again"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.model.text(1) == "You said: Tell me")
    wait_for_answers(page, qtbot, 1)
    assert last_answer(page).state_row is None


def test_enter_that_confirms_an_input_method_does_not_send(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    field = page.composer.field
    QApplication.sendEvent(field, QInputMethodEvent("にほん", []))
    with qtbot.assertNotEmitted(page.composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    committed = QInputMethodEvent("", [])
    committed.setCommitString("日本")
    QApplication.sendEvent(field, committed)
    assert page.composer.text == "日本"
    with qtbot.waitSignal(page.composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return)


def test_shift_enter_begins_a_line_and_the_field_grows_to_eight(
    page: ChatPage, qtbot: QtBot
) -> None:
    field = page.composer.field
    heights = [field.height()]
    for _ in range(12):
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        heights.append(field.height())
    assert page.composer.text == "\n" * 12
    assert heights[1] > heights[0]
    assert heights[7] == heights[12]


def test_an_empty_question_is_not_sent(page: ChatPage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(page.composer.submitted):
        write(page, qtbot, "  \n ")
    assert not page.composer.button.isEnabled()


def test_what_was_pasted_is_plain_text(page: ChatPage) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    page.composer.field.insertFromMimeData(data)
    assert page.composer.text == "bold"


def test_a_question_that_cannot_be_kept_stays_in_the_field(
    page: ChatPage, qtbot: QtBot, store: Store
) -> None:
    store.error = StoreFull()
    with qtbot.waitSignal(page.notice, check_params_cb=lambda e: isinstance(e, StoreFull)):
        write(page, qtbot, "do not lose me")
    assert page.composer.text == "do not lose me"
    assert page.model.rowCount() == 0


def test_a_draft_waits_where_it_was_left(page: ChatPage, qtbot: QtBot) -> None:
    write(page, qtbot, "first")
    wait_for_answers(page, qtbot, 1)
    first = page.conversation_id
    page.composer.set_text("half a thought")
    page.show_conversation(None)
    assert page.composer.text == ""
    page.show_conversation(first)
    assert page.composer.text == "half a thought"
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)


def test_an_answer_goes_on_while_another_conversation_is_open(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.hold()
    write(page, qtbot, "go on")
    generator.wait_for_requests(1)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    first = page.conversation_id
    page.show_conversation(None)
    generator.step(2)
    page.show_conversation(first)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2 and page.model.text(1) == "You said: ")
    generator.release()
    wait_for_answers(page, qtbot, 1)
    assert page.model.text(1) == "You said: go on"


def test_a_draft_that_is_too_long_says_by_how_much_and_waits(
    page: ChatPage, qtbot: QtBot, generator: FakeGenerator
) -> None:
    generator.context_tokens = 50
    page.composer.set_text("word " * 200)
    qtbot.waitUntil(lambda: page.composer.hint.endswith("too long for this model."))
    assert not page.composer.can_send
    page.composer.set_text("short")
    assert page.composer.can_send


def drop(page: ChatPage, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, action = QPointF(40, 40), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place.toPoint(), action, data, buttons, keys)
    QApplication.sendEvent(page, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(page, QDropEvent(place, action, data, buttons, keys))


def test_a_dropped_file_becomes_a_chip_and_goes_with_the_question(
    page: ChatPage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_text("Costs fell.")
    drop(page, file)
    qtbot.waitUntil(lambda: len(page.composer.documents.attachments) == 1)
    write(page, qtbot, "What fell?")
    wait_for_answers(page, qtbot, 1)
    assert page.model.row(0).message.attachments[0].name == "report.txt"
    assert page.composer.documents.documents == ()


def test_a_document_that_cannot_be_read_says_why_on_its_chip(
    page: ChatPage, qtbot: QtBot, documents: FakeDocuments, tmp_path: Path
) -> None:
    documents.fail(DocumentLocked(name="secret.pdf"))
    drop(page, tmp_path / "secret.pdf")
    document = only_draft(page, qtbot)
    qtbot.waitUntil(lambda: document.error is not None)
    said = page.composer.documents.chip(document).details
    assert said.startswith("secret.pdf is protected by a password.")
    page.composer.documents.remove(document)
    assert page.composer.documents.documents == ()


def test_a_document_is_summarized_from_its_chip(
    page: ChatPage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_text("Costs fell.")
    drop(page, file)
    document = only_draft(page, qtbot)
    qtbot.waitUntil(lambda: document.attachment is not None)
    page.composer.documents.summarize_requested.emit(document)
    wait_for_answers(page, qtbot, 1)
    assert page.model.row(1).message.kind == "summary"
    assert page.composer.documents.documents == ()


def test_a_found_message_is_shown_at_the_top(page: ChatPage, qtbot: QtBot) -> None:
    for number in range(8):
        write(page, qtbot, f"Question {number}\n" * 10)
        wait_for_answers(page, qtbot, number + 1)
    found = page.model.row(4).message.id
    page.show_conversation(page.conversation_id, found)

    def is_at_top() -> bool:
        widget = page.view.widget(4)
        return widget is not None and abs(widget.y() - 12) <= 12

    qtbot.waitUntil(is_at_top)


def test_another_theme_dresses_what_is_on_the_page(
    page: ChatPage, qtbot: QtBot, theme: Theme
) -> None:
    write(page, qtbot, "see https://a.example")
    wait_for_answers(page, qtbot, 1)
    theme.set_scheme("dark")
    (prose, *_) = last_answer(page).findChildren(ProseSegment)
    assert theme.color("link").name() in prose.document().defaultStyleSheet()
