"""What is folded beside a conversation: thoughts, and the summary of what is not seen."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.values import Message, TurnView
from tests.ui.finding import button, only
from ui.chat.answer import AnswerWidget
from ui.chat.aside import Aside
from ui.chat.divider import Divider
from ui.chat.fold_button import FoldButton
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.view import ChatView

THOUGHT = "Let me see.\nParis is in France.\n"


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def model(seconds: Seconds) -> MessageModel:
    return MessageModel(clock_s=seconds)


@pytest.fixture
def view(qtbot: QtBot, model: MessageModel, look: Look) -> ChatView:
    view = ChatView(model, look)
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    qtbot.waitExposed(view)
    return view


def message(number: int, text: str = "Some words.", **more: object) -> Message:
    role = "user" if number % 2 == 0 else "assistant"
    return replace(Message(str(number), "c", role, text, 0.0), **more)  # type: ignore[arg-type]


def answer(view: ChatView, row: int = 1) -> AnswerWidget:
    widget = view.widget(row)
    assert isinstance(widget, AnswerWidget)
    return widget


def thought(view: ChatView, row: int = 1) -> Aside:
    return only(answer(view, row), Aside)


def test_a_thought_is_folded_above_the_answer_and_says_how_long_it_took(
    view: ChatView, model: MessageModel
) -> None:
    model.reset([message(0), message(1, thought=THOUGHT, thought_s=12.2)])
    folded_px = answer(view).height()
    assert thought(view).head.text() == "Thought for 12 s"
    assert thought(view).text == ""
    assert thought(view).geometry().bottom() < answer(view)._stack.widgets[0].y()
    thought(view).head.click()
    assert thought(view).text == THOUGHT
    assert answer(view).height() > folded_px
    thought(view).head.click()
    assert answer(view).height() == folded_px


def test_the_keyboard_unfolds_it(view: ChatView, model: MessageModel, qtbot: QtBot) -> None:
    model.reset([message(0), message(1, thought=THOUGHT, thought_s=65)])
    head = thought(view).head
    assert head in answer(view).focus_chain()
    assert head.text() == "Thought for 1 min 5 s"
    assert head.accessibleDescription() == "Folded"
    qtbot.keyClick(head, Qt.Key.Key_Space)
    assert head.accessibleDescription() == "Unfolded"
    assert thought(view).text == THOUGHT


def test_a_thought_grows_while_the_model_thinks(
    view: ChatView, model: MessageModel, seconds: Seconds
) -> None:
    model.reset([message(0), message(1, "", state="streaming")])
    model.show_turn("1", TurnView(1, "", "thinking", thought="Let"))
    seconds.now_s += 5
    model.show_turn("1", TurnView(2, "", "thinking", thought="Let me"))
    assert thought(view).head.text() == "Thinking… 5 s"
    thought(view).head.click()
    model.show_turn("1", TurnView(3, "", "thinking", thought="Let me see."))
    assert thought(view).text == "Let me see."
    model.show_turn("1", TurnView(4, "Paris.", "writing", thought="Let me see.", thought_s=7.0))
    assert thought(view).head.text() == "Thought for 7 s"
    assert thought(view).text == "Let me see."


def test_what_was_unfolded_stays_so_out_of_sight_and_in_other_conversations(
    view: ChatView, model: MessageModel
) -> None:
    messages = [message(0), message(1, thought=THOUGHT), *(message(at) for at in range(2, 200))]
    model.reset(messages)
    view.scroll_to_row(0)
    thought(view).head.click()
    view.scroll_to_end()
    assert view.widget(1) is None
    model.reset([message(500)])
    model.reset(messages)
    view.scroll_to_row(0)
    assert thought(view).text == THOUGHT


def test_unfolding_leaves_the_line_under_the_pointer(view: ChatView, model: MessageModel) -> None:
    earlier = [message(at) for at in range(60)]
    model.reset([*earlier, message(61, thought="A line.\n" * 100, thought_s=3)])
    assert view.is_at_end
    head = thought(view, 60).head
    before = head.mapTo(view, head.rect().topLeft())
    head.click()
    assert head.mapTo(view, head.rect().topLeft()) == before
    assert not view.is_at_end


def test_a_long_thought_is_laid_out_step_by_step_and_whole(
    view: ChatView, model: MessageModel, qtbot: QtBot
) -> None:
    long = "".join(f"Line {number} of a long thought.\n" for number in range(2_000))
    model.reset([message(0), message(1, thought=long, thought_s=3)])
    thought(view).head.click()
    assert len(thought(view).text) < len(long)
    qtbot.waitUntil(lambda: thought(view).text == long)
    qtbot.waitUntil(lambda: answer(view).height() > 2_000 * 10)


def test_the_thought_is_not_copied_with_the_answer(view: ChatView, model: MessageModel) -> None:
    model.reset([message(0), message(1, "Paris.", thought=THOUGHT)])
    thought(view).head.click()
    button(answer(view), "Copy answer").click()
    assert QGuiApplication.clipboard().text() == "Paris."


def test_an_answer_without_a_thought_has_no_line_for_it(
    view: ChatView, model: MessageModel
) -> None:
    model.reset([message(0), message(1)])
    assert answer(view).findChildren(FoldButton) == []


def test_the_summary_of_what_is_not_seen_can_be_read(view: ChatView, model: MessageModel) -> None:
    messages = [message(at) for at in range(4)]
    model.reset(messages, first_seen_id="2", summary="They spoke of costs.")
    widget = view.widget(2)
    assert widget is not None
    divider = only(widget, Divider)
    assert divider.text == "The model sees a summary of what is above"
    only(divider, FoldButton).click()
    assert divider.text == "The model sees a summary of what is above\nThey spoke of costs."
    model.see_from("2", "")
    assert divider.text == "The model no longer sees what is above"


def test_the_line_moves_when_the_model_sees_less(view: ChatView, model: MessageModel) -> None:
    model.reset([message(at) for at in range(6)], first_seen_id="2")
    model.show_turn("5", TurnView(1, "x", "writing", first_seen_id="4", running_summary="Costs."))
    lines = []
    for row in (2, 4):
        widget = view.widget(row)
        assert widget is not None
        lines.append(len([one for one in widget.findChildren(Divider) if not one.isHidden()]))
    assert lines == [0, 1]
