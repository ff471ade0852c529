from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.errors import StoreFull
from inference.errors import InferenceError, ModelNotLoaded, WorkerDied
from ui.notices import NoticeBar, Remedy
from ui.theme import Theme


@pytest.fixture
def bar(qtbot: QtBot, theme: Theme) -> NoticeBar:
    bar = NoticeBar(theme)
    qtbot.addWidget(bar)
    return bar


def buttons(bar: NoticeBar) -> list[QPushButton]:
    return [one for one in bar.findChildren(QPushButton) if not one.isHidden()]


def action(bar: NoticeBar) -> QPushButton:
    (button,) = buttons(bar)
    return button


def test_an_error_is_a_sentence_with_what_to_do(bar: NoticeBar) -> None:
    assert bar.isHidden()
    bar.show_error(WorkerDied())
    assert not bar.isHidden()
    assert bar.code == "worker_died"
    assert bar.text.endswith("Ask again: the model is started anew.")
    assert buttons(bar) == []


def test_where_the_window_can_help_there_is_a_button_instead(qtbot: QtBot, bar: NoticeBar) -> None:
    pressed: list[str] = []
    bar.offer("model_not_loaded", Remedy("Show models", lambda: pressed.append("models")))
    bar.show_error(ModelNotLoaded())
    assert "snug models" not in bar.text
    assert action(bar).text() == "Show models"
    qtbot.mouseClick(action(bar), Qt.MouseButton.LeftButton)
    assert pressed == ["models"]
    assert bar.isHidden()


def test_the_newest_notice_replaces_the_one_before(bar: NoticeBar) -> None:
    bar.show_info("Deleted.", Remedy("Undo", lambda: None))
    bar.show_error(StoreFull())
    assert bar.code == "store_full"
    assert buttons(bar) == []
    bar.show_info("Done.")
    assert bar.code == ""
    assert bar.text == "Done."


def test_an_error_that_nobody_knows_is_still_a_sentence(bar: NoticeBar) -> None:
    bar.show_error(InferenceError(unknown_code="strange"))
    assert bar.text


def test_a_notice_can_be_dismissed(bar: NoticeBar) -> None:
    bar.show_error(StoreFull())
    bar.dismiss()
    assert bar.isHidden()
    assert bar.text == ""
    assert bar.code == ""


def test_a_decision_offers_all_that_can_be_done(qtbot: QtBot, theme: Theme) -> None:
    pressed: list[str] = []
    choices = [Remedy(text, partial(pressed.append, text)) for text in ("One", "Two")]
    window = QWidget()
    qtbot.addWidget(window)
    bar = NoticeBar(theme)
    bar.setParent(window)
    window.show()
    bar.show_choices("Memory is short.", choices)
    assert bar.property("kind") == "warning"
    first, second = buttons(bar)
    assert (first.text(), second.text()) == ("One", "Two")
    bar.resize(600, bar.sizeHint().height())
    qtbot.waitUntil(lambda: first.y() == second.y() > bar._text.y())
    bar.resize(150, 300)
    qtbot.waitUntil(lambda: second.y() > first.y())
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    assert pressed == ["Two"]
    assert bar.isHidden()
