import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from ui.garbage import GuiGarbage


@pytest.fixture
def garbage(qtbot: QtBot) -> Iterator[GuiGarbage]:
    garbage = GuiGarbage()
    yield garbage
    garbage.close()


class Cycle(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def allocate_much() -> None:
    kept = [[number] for number in range(5000)]
    assert kept


def test_no_other_thread_destroys_a_qt_object(garbage: GuiGarbage) -> None:
    ended: list[str] = []
    cycle = Cycle()
    weakref.finalize(cycle, lambda: ended.append(threading.current_thread().name))
    del cycle
    thread = threading.Thread(target=allocate_much, name="other")
    thread.start()
    thread.join()
    assert ended == []
    allocate_much()
    garbage.collect_due()
    gc.collect()
    assert ended == [threading.main_thread().name]


def test_what_is_due_is_collected_by_itself(qtbot: QtBot, garbage: GuiGarbage) -> None:
    cycle = Cycle()
    gone = weakref.ref(cycle)
    del cycle
    kept = [[number] for number in range(5000)]
    qtbot.waitUntil(lambda: gone() is None)
    assert kept


def test_python_gets_its_collector_back(qtbot: QtBot) -> None:
    garbage = GuiGarbage()
    garbage.settle()
    assert not gc.isenabled()
    assert gc.get_freeze_count() > 0
    garbage.close()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
