import gc
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from ui.plurals import EnglishPlurals
from ui.tasks import Tasks
from ui.theme import Theme


@pytest.fixture(autouse=True)
def _qt_objects_end_on_this_thread() -> Iterator[None]:
    """Keep the collector off the services' threads, as `ui.garbage` does in the program."""
    gc.disable()
    yield
    gc.enable()
    gc.collect(0)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme("light")


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[Tasks]:
    tasks = Tasks()
    yield tasks
    tasks.close()


@pytest.fixture
def plurals(qapp: QApplication) -> Iterator[None]:
    translator = EnglishPlurals()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)
