"""The virtualised list: few widgets, the right place, the end in sight."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.chat.values import Message, TurnView
from ui.chat.look import Look
from ui.chat.message_model import MessageModel
from ui.chat.prose import ProseSegment
from ui.chat.view import ChatView


def message(number: int, text: str = "", *, state: str = "complete") -> Message:
    role = "user" if number % 2 == 0 else "assistant"
    text = text or f"Message {number}. " + "Some words that fill a line or two. " * (number % 9)
    return Message(str(number), "c", role, text, 0.0, state=state)  # type: ignore[arg-type]


@pytest.fixture
def model() -> MessageModel:
    return MessageModel()


@pytest.fixture
def view(qtbot: QtBot, model: MessageModel, look: Look) -> ChatView:
    view = ChatView(model, look)
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    qtbot.waitExposed(view)
    return view


def place_of(view: ChatView, row: int) -> int:
    widget = view.widget(row)
    assert widget is not None
    return widget.y()


def test_the_model_keeps_the_rules_of_models(
    model: MessageModel, qtmodeltester: ModelTester
) -> None:
    model.reset([message(0), message(1)])
    qtmodeltester.check(model)
    model.append(message(2), message(3, state="streaming"))
    model.show_turn("3", TurnView(1, "text", "writing", first_seen_id="2"))
    qtmodeltester.check(model)
    assert model.row(2).is_first_seen


def test_a_long_conversation_opens_at_its_end_with_few_widgets(
    view: ChatView, model: MessageModel
) -> None:
    model.reset([message(number) for number in range(5_000)])
    assert view.live_rows()[-1] == 4_999
    assert len(view.live_rows()) < 30
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_every_message_can_be_reached_by_scrolling(view: ChatView, model: MessageModel) -> None:
    model.reset([message(number) for number in range(120)])
    seen = set(view.live_rows())
    bar = view.verticalScrollBar()
    while bar.value() > bar.minimum():
        bar.setValue(bar.value() - 300)
        seen |= set(view.live_rows())
    assert seen == set(range(120))
    assert len(view.live_rows()) < 30


def test_the_end_stays_in_sight_while_an_answer_grows(view: ChatView, model: MessageModel) -> None:
    model.reset(
        [*(message(number) for number in range(20)), message(21, "A line.", state="streaming")]
    )
    for lines in range(1, 40):
        model.show_turn("21", TurnView(lines, "A line.\n\n" * lines, "writing"))
        widget = view.widget(20)
        assert widget is not None
        assert widget.y() + widget.height() <= view.viewport().height()


def test_what_a_person_reads_stays_where_it_is_while_an_answer_grows(
    view: ChatView, model: MessageModel
) -> None:
    model.reset([*(message(number) for number in range(60)), message(61, "a", state="streaming")])
    view.scroll_to_row(30)
    before = place_of(view, 30)
    model.show_turn("61", TurnView(1, "A line.\n\n" * 40, "writing"))
    model.append(message(62))
    assert place_of(view, 30) == before
    assert not view.is_at_end


def test_what_a_person_reads_stays_where_it_is_in_a_narrower_window(
    view: ChatView, model: MessageModel, qtbot: QtBot
) -> None:
    model.reset([message(number) for number in range(200)])
    view.scroll_to_row(100)
    view.resize(500, 600)
    qtbot.waitUntil(lambda: 100 in view.live_rows())
    assert abs(place_of(view, 100) - 12) <= 12


def test_messages_never_overlap(view: ChatView, model: MessageModel) -> None:
    model.reset([message(number) for number in range(300)])
    for at in (0, 3_000, 9_000):
        view.verticalScrollBar().setValue(at)
        rows = view.live_rows()
        for upper, lower in pairwise(rows):
            widget = view.widget(upper)
            assert widget is not None
            assert widget.y() + widget.height() < place_of(view, lower)


@pytest.fixture
def shown(view: ChatView, model: MessageModel) -> Callable[[str], None]:
    def show(text: str) -> None:
        model.reset([message(0, "q"), message(1, text)])

    return show


def test_nothing_is_loaded_for_an_answer_with_pictures(
    view: ChatView, shown: Callable[[str], None]
) -> None:
    shown("![x](https://a.example/x.png) <img src='/etc/hostname'>")
    widget = view.widget(1)
    assert widget is not None
    (prose,) = widget.findChildren(ProseSegment)
    assert prose.toPlainText() == "[image: x] <img src='/etc/hostname'>"
    picture = prose.loadResource(2, "file:///etc/hostname")
    assert isinstance(picture, QImage)
    assert picture.width() == 1


def tab_order(view: ChatView) -> list[QWidget]:
    """Return what the Tab key reaches in the view, in the order it does."""
    widgets = [view.widget(row) for row in view.live_rows()]
    chain = [each for widget in widgets if widget for each in widget.focus_chain()]
    reached = view.nextInFocusChain()
    order = []
    while reached is not None and reached is not view:
        if reached in chain:
            order.append(reached)
        reached = reached.nextInFocusChain()
    assert order == chain
    return order


def test_the_tab_key_reaches_what_appears_with_the_end_of_an_answer(
    view: ChatView, model: MessageModel, qtbot: QtBot
) -> None:
    model.reset([message(0), message(1, state="streaming")])
    after = QPushButton(view)
    QWidget.setTabOrder(view, after)
    ended = message(1, "An answer.", state="length")
    model.show_turn("1", TurnView(1, "An answer.", "writing"))
    model.show_turn("1", TurnView(2, "An answer.", "done", message=ended))
    names = [each.accessibleName() or each.text() for each in buttons(tab_order(view))]
    assert names == ["Continue", "Copy answer", "Regenerate"]


def buttons(widgets: list[QWidget]) -> list[QAbstractButton]:
    return [each for each in widgets if isinstance(each, QAbstractButton)]


def test_the_tab_key_goes_from_the_top_down(view: ChatView, model: MessageModel) -> None:
    model.reset([message(number) for number in range(80)])
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 400)
    assert tab_order(view)
