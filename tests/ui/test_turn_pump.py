import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.chat.turn import Turn
from app.chat.values import Message, TurnView
from ui.turn_pump import TurnPump


def answer(text: str = "") -> Message:
    return Message(id="a", conversation_id="c", role="assistant", text=text, created_s=0.0)


def test_each_change_is_handed_over_once(qtbot: QtBot) -> None:
    pump, turn, views = TurnPump(), Turn(answer()), list[TurnView]()
    pump.follow(turn, views.append, pump)
    qtbot.waitUntil(lambda: len(views) == 1)
    turn.grow("Hello ")
    turn.grow("you")
    qtbot.waitUntil(lambda: views[-1].text == "Hello you")
    count = len(views)
    qtbot.wait(100)
    assert len(views) == count


def test_an_ended_turn_is_let_go_after_its_last_view(qtbot: QtBot) -> None:
    pump, turn, views = TurnPump(), Turn(answer()), list[TurnView]()
    pump.follow(turn, views.append, pump)
    turn.end(answer("All"))
    qtbot.waitUntil(lambda: not pump.is_running)
    assert [view.text for view in views] == ["All"]
    assert views[-1].message is not None


def test_the_timer_rests_while_nothing_is_followed(qtbot: QtBot) -> None:
    pump, one, other = TurnPump(), Turn(answer()), Turn(answer())
    states = [pump.is_running]
    pump.follow(one, lambda _: None, pump)
    pump.follow(other, lambda _: None, pump)
    pump.unfollow(one)
    states.append(pump.is_running)
    pump.unfollow(other)
    states.append(pump.is_running)
    assert states == [False, True, False]


def test_a_reader_may_let_go_while_it_is_told(qtbot: QtBot) -> None:
    pump, one, other, seen = TurnPump(), Turn(answer()), Turn(answer()), list[str]()

    def see_first(_: TurnView) -> None:
        seen.append("first")
        pump.unfollow(other)

    pump.follow(one, see_first, pump)
    pump.follow(other, lambda _: seen.append("second"), pump)
    qtbot.waitUntil(lambda: bool(seen))
    qtbot.wait(70)
    assert seen == ["first"]


def test_nobody_is_told_once_who_asked_is_gone(qtbot: QtBot) -> None:
    pump, turn, views, owner = TurnPump(), Turn(answer()), list[TurnView](), QObject()
    pump.follow(turn, views.append, owner)
    shiboken6.delete(owner)
    turn.grow("Hello")
    qtbot.waitUntil(lambda: not pump.is_running)
    assert views == []
