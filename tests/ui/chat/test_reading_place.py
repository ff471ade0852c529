"""The reader keeps their place in a summary whose statements are replaced."""

import pytest
from pytestqt.qtbot import QtBot

from app.chat.values import Message, TurnView
from ui.chat.answer import AnswerWidget
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.reading_place import Block, ReadingPlace, find, place_at
from ui.chat.view import ChatView

POINTS = 60
ROUNDING_PX = 2


def text_of(written: int, words: int = 12) -> str:
    """Return a summary of which the first points have been written anew, and longer."""
    chosen = [f"- Point {number} as it was found." for number in range(POINTS)]
    new = [f"- Point {number} " + "written anew " * words for number in range(written)]
    return "\n".join([*new, *chosen[written:]])


@pytest.fixture
def model() -> MessageModel:
    return MessageModel()


@pytest.fixture
def view(qtbot: QtBot, model: MessageModel, look: Look) -> ChatView:
    view = ChatView(model, look)
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show()
    qtbot.waitExposed(view)
    question = Message("0", "c", "user", "Summarize.", 0.0)
    answer = Message("1", "c", "assistant", text_of(0), 0.0, state="streaming", kind="summary")
    model.reset([question, answer])
    return view


def seen(view: ChatView, text: str) -> int:
    """Return how far below the window's top a paragraph begins."""
    widget = view.widget(1)
    assert isinstance(widget, AnswerWidget)
    (top_px,) = [block.top_px for block in widget.blocks() if block.text.startswith(text)]
    return widget.y() + top_px


@pytest.mark.parametrize("is_at_end", [True, False])
def test_a_summary_that_is_replaced_point_by_point_does_not_throw_the_reader(
    view: ChatView, model: MessageModel, is_at_end: bool
) -> None:
    if not is_at_end:
        view.verticalScrollBar().setValue(700)
    top = next(number for number in range(POINTS) if seen(view, f"Point {number} ") > 0)
    before = seen(view, f"Point {top} ")
    for written in range(1, top - 1):
        model.show_turn("1", TurnView(written, text_of(written), "writing", written, POINTS))
        assert abs(seen(view, f"Point {top} ") - before) <= ROUNDING_PX


def test_an_answer_that_only_grows_keeps_its_end_in_sight(
    view: ChatView, model: MessageModel
) -> None:
    model.show_turn("1", TurnView(1, text_of(0) + "\n\nAnd more.", "writing"))
    assert view.is_at_end
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


BLOCKS = [Block("one", 0), Block("two", 30), Block("", 60), Block("two", 90)]


def test_a_place_is_a_block_and_a_distance() -> None:
    assert place_at(BLOCKS, 45) == ReadingPlace("two", 1, 15)
    assert place_at(BLOCKS, 500) == ReadingPlace("two", 3, 410)
    assert place_at(BLOCKS, -1) is None


def test_a_place_is_found_by_its_text_and_else_by_its_number() -> None:
    moved = [Block("new", 0), Block("one", 40), Block("two", 70), Block("two", 130)]
    assert find(moved, ReadingPlace("one", 0, 5)) == 45
    assert find(moved, ReadingPlace("two", 3, 5)) == 135
    assert find(moved, ReadingPlace("gone", 1, 5)) == 45
    assert find([], ReadingPlace("gone", 1, 5)) is None
