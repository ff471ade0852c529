import threading
from concurrent.futures import Future

import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, QThread
from pytestqt.qtbot import QtBot

from app.errors import StoreFull
from ui.tasks import Tasks


def test_a_result_arrives_on_the_gui_thread(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[tuple[str, bool]] = []
    owner = QObject()
    gui = QThread.currentThread()
    future: Future[str] = Future()
    tasks.run(
        future,
        lambda text: seen.append((text, QThread.currentThread() is gui)),
        lambda error: seen.append((str(error), False)),
        owner,
    )
    thread = threading.Thread(target=lambda: future.set_result("done"))
    thread.start()
    thread.join()
    assert not seen
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [("done", True)]


def test_work_runs_on_the_helper_thread(qtbot: QtBot, tasks: Tasks) -> None:
    names: list[str] = []
    owner = QObject()
    tasks.start(lambda: threading.current_thread().name, names.append, lambda _: None, owner)
    qtbot.waitUntil(lambda: bool(names))
    assert names[0].startswith("tasks")


def test_what_the_environment_did_goes_to_failed(qtbot: QtBot, tasks: Tasks) -> None:
    errors: list[Exception] = []
    owner = QObject()
    future: Future[str] = Future()
    future.set_exception(StoreFull())
    tasks.run(future, lambda _: None, errors.append, owner)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], StoreFull)


def test_our_own_mistake_reaches_the_exception_hook(qtbot: QtBot, tasks: Tasks) -> None:
    owner = QObject()
    future: Future[str] = Future()
    future.set_exception(ZeroDivisionError())
    with qtbot.captureExceptions() as caught:
        tasks.run(future, lambda _: None, lambda _: None, owner)
        qtbot.waitUntil(lambda: bool(caught))
    assert caught[0][0] is ZeroDivisionError


def test_nobody_is_told_once_the_owner_is_gone(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[str] = []
    owner, other = QObject(), QObject()
    first: Future[str] = Future()
    tasks.run(first, seen.append, lambda _: None, owner)
    shiboken6.delete(owner)
    first.set_result("gone")
    second: Future[str] = Future()
    tasks.run(second, seen.append, lambda _: None, other)
    second.set_result("here")
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == ["here"]


def test_a_cancelled_future_is_silent(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[object] = []
    owner = QObject()
    future: Future[str] = Future()
    tasks.run(future, seen.append, seen.append, owner)
    future.cancel()
    QCoreApplication.processEvents()
    assert not seen
