"""English counts things properly without a translation."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from ui.plurals import EnglishPlurals


@pytest.fixture(autouse=True)
def _installed(qapp: QApplication) -> Iterator[None]:
    translator = EnglishPlurals()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.mark.parametrize(("count", "said"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages")])
def test_a_counted_text_gets_its_form(count: int, said: str) -> None:
    assert QCoreApplication.translate("any", "%n page(s)", "", count) == said


def test_other_texts_stay_as_they_are() -> None:
    assert QCoreApplication.translate("any", "a file (or several)") == "a file (or several)"
