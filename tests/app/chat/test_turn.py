import threading
from dataclasses import replace

from app.chat.turn import Turn
from app.chat.values import Message

ANSWER = Message("a", "c", "assistant", "", 0.0, "streaming")


def test_every_change_has_a_new_revision() -> None:
    turn = Turn(ANSWER)
    revisions = [turn.view().revision]
    for change in (
        lambda: turn.move_to("prefill", 10, 20),
        lambda: turn.grow("Hello "),
        lambda: turn.grow("there"),
        lambda: turn.show("Other text", "writing"),
        lambda: turn.see_from("m3"),
        lambda: turn.end(replace(ANSWER, text="Other text", state="complete")),
    ):
        change()
        revisions.append(turn.view().revision)
    assert revisions == list(range(7))
    view = turn.view()
    assert (view.text, view.stage, view.first_seen_id) == ("Other text", "done", "m3")


def test_nothing_changes_after_the_end() -> None:
    turn = Turn(ANSWER)
    turn.end(replace(ANSWER, text="all", state="complete"))
    view = turn.view()
    turn.grow(" too late")
    turn.move_to("loading")
    assert turn.view() == view


def test_a_turn_that_is_cancelled_before_it_runs_is_stopped_when_it_does() -> None:
    turn = Turn(ANSWER)
    turn.cancel()
    stopped = threading.Event()
    turn.set_stop(stopped.set)
    assert turn.is_cancelled
    assert stopped.is_set()


def test_waiting_ends_with_the_turn_or_with_the_time() -> None:
    turn = Turn(ANSWER)
    assert turn.wait(0.01).message is None
    ended = replace(ANSWER, text="all", state="complete")
    threading.Timer(0.01, turn.end, (ended,)).start()
    assert turn.wait(10).message == ended
