from concurrent.futures import Future

import pytest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.chat.values import AnswerSettings
from app.errors import StoreFull
from inference.types import Sampling
from tests.ui.finding import button
from ui.answer_settings.controller import AnswerSettingsDesk
from ui.answer_settings.dialog import AnswerSettingsDialog
from ui.tasks import Tasks
from ui.theme import Theme


class KeptAnswers:
    """Keeps settings a conversation, as the chat service does; `error` refuses to."""

    def __init__(self) -> None:
        self.kept: dict[str, AnswerSettings] = {}
        self.error: Exception | None = None

    def answer_settings(self, conversation_id: str) -> Future[AnswerSettings]:
        future: Future[AnswerSettings] = Future()
        future.set_result(self.kept.get(conversation_id, AnswerSettings()))
        return future

    def set_answer_settings(self, conversation_id: str, settings: AnswerSettings) -> Future[None]:
        future: Future[None] = Future()
        if self.error is not None:
            future.set_exception(self.error)
        else:
            self.kept[conversation_id] = settings
            future.set_result(None)
        return future


@pytest.fixture
def answers() -> KeptAnswers:
    return KeptAnswers()


@pytest.fixture
def desk(qtbot: QtBot, theme: Theme, tasks: Tasks, answers: KeptAnswers) -> AnswerSettingsDesk:
    window = QWidget()
    qtbot.addWidget(window)
    return AnswerSettingsDesk(answers, lambda: Sampling(temperature=0.6), theme, tasks, window)


def opened(qtbot: QtBot, desk: AnswerSettingsDesk) -> AnswerSettingsDialog:
    desk.open("c")
    qtbot.waitUntil(lambda: desk._dialog is not None)
    assert desk._dialog is not None
    return desk._dialog


def test_settings_are_shown_kept_and_shown_again(
    qtbot: QtBot, desk: AnswerSettingsDesk, answers: KeptAnswers
) -> None:
    dialog = opened(qtbot, desk)
    variety = next(e for e in dialog.findChildren(QLineEdit) if e.accessibleName() == "Variety")
    assert variety.placeholderText() == "Default (0.6)"
    variety.setText("1.5")
    with qtbot.waitSignal(desk.changed) as changed:
        button(dialog, "Save").click()
    assert changed.args == ["c", AnswerSettings(temperature=1.5)]
    assert answers.kept == {"c": AnswerSettings(temperature=1.5)}
    assert opened(qtbot, desk).settings == AnswerSettings(temperature=1.5)


def test_cancel_changes_nothing(
    qtbot: QtBot, desk: AnswerSettingsDesk, answers: KeptAnswers
) -> None:
    button(opened(qtbot, desk), "Cancel").click()
    assert answers.kept == {}
    assert desk._dialog is None


def test_settings_that_cannot_be_kept_are_an_error(
    qtbot: QtBot, desk: AnswerSettingsDesk, answers: KeptAnswers
) -> None:
    answers.error = StoreFull()
    dialog = opened(qtbot, desk)
    with qtbot.waitSignal(desk.failed):
        button(dialog, "Save").click()
