from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from ui.tasks import Tasks
from ui.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme("light")


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[Tasks]:
    tasks = Tasks()
    yield tasks
    tasks.close()
