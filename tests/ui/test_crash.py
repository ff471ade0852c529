import logging
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.errors import StoreFull
from tests.ui.finding import button, only
from ui.crash import CrashDialog, CrashHook

SECRET = "what a person wrote"


@pytest.fixture
def hook(qtbot: QtBot) -> Iterator[CrashHook]:
    hook = CrashHook()
    hook.install()
    yield hook
    hook.uninstall()


def fail() -> None:
    raise ValueError(SECRET)


@pytest.mark.expects_log
def test_our_mistake_is_reported_without_its_message(
    qtbot: QtBot, hook: CrashHook, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), qtbot.waitSignal(hook.crashed) as crashed:
        QTimer.singleShot(0, fail)
    report = crashed.args[0]
    assert report.endswith("ValueError")
    assert "fail (test_crash.py:" in report
    assert SECRET not in report
    assert SECRET not in caplog.text
    assert "ValueError" in caplog.text


@pytest.mark.expects_log
def test_a_mistake_on_another_thread_is_reported_too(qtbot: QtBot, hook: CrashHook) -> None:
    with qtbot.waitSignal(hook.crashed) as crashed:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert crashed.args[0].endswith("ValueError")


def test_what_the_environment_did_is_no_crash(qtbot: QtBot, hook: CrashHook) -> None:
    def full() -> None:
        raise StoreFull

    with qtbot.waitSignal(hook.known) as known, qtbot.assertNotEmitted(hook.crashed):
        QTimer.singleShot(0, full)
    assert isinstance(known.args[0], StoreFull)


def test_the_hooks_that_were_there_come_back() -> None:
    before, thread_before = sys.excepthook, threading.excepthook
    hook = CrashHook()
    hook.install()
    assert sys.excepthook != before
    hook.uninstall()
    assert sys.excepthook is before
    assert threading.excepthook is thread_before


def test_the_dialog_shows_the_report_and_copies_it(qtbot: QtBot) -> None:
    dialog = CrashDialog("fail (x.py:1)\nValueError")
    qtbot.addWidget(dialog)
    dialog.open()
    assert only(dialog, QPlainTextEdit).toPlainText() == "fail (x.py:1)\nValueError"
    button(dialog, "Copy report").click()
    assert QGuiApplication.clipboard().text() == "fail (x.py:1)\nValueError"
    dialog.accept()
