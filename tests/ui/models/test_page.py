from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QBoxLayout, QLabel, QProgressBar
from pytestqt.qtbot import QtBot

from app.models import catalog
from app.models.fit import Machine
from inference.errors import ModelUnsupported
from tests.ui.finding import button, only
from tests.ui.models.conftest import BIG_MACHINE, GB, HeldWork, ScriptedModels, installed
from ui.models.page import ModelsPage
from ui.models.shelf import read_shelf
from ui.theme import Theme

GET_STARTER = "Get Starter (93 MB)"
STARTER, STANDARD = catalog.entries()


@pytest.fixture
def page(qtbot: QtBot, theme: Theme, models: ScriptedModels) -> ModelsPage:
    page = ModelsPage(models, theme)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    show(page, models)
    return page


def show(page: ModelsPage, models: ScriptedModels, machine: Machine = BIG_MACHINE) -> None:
    page.show_shelf(read_shelf(models, lambda: machine))
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def texts(page: ModelsPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page)]


def test_the_first_start_welcomes_and_fetches_nothing(
    page: ModelsPage, models: ScriptedModels
) -> None:
    assert "Welcome to Snug" in texts(page)
    assert "Runs well on this computer" in texts(page)
    assert not button(page, "Back to the chat").isVisibleTo(page)
    assert models.sources == []


def test_one_button_gets_a_model_and_says_how_far_it_is(
    qtbot: QtBot, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    online: list[bool] = []
    page.fetching.connect(online.append)
    qtbot.mouseClick(button(page, GET_STARTER), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Fetching: 25 MB of 100 MB" in texts(page))
    assert only(page, QProgressBar).value() == 250
    assert online[-1] is True
    assert not button(page, GET_STARTER).isEnabled()
    page.add("standard")
    assert models.sources == ["starter"]
    with qtbot.waitSignal(page.model_added) as added:
        held.go_on.set()
    assert added.args == ["starter"]
    assert online[-1:] == [False]
    assert not page.is_adding


def test_cancel_stops_and_offers_to_go_on(
    qtbot: QtBot, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    page.add("standard")
    qtbot.mouseClick(button(page, "Cancel"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.is_adding)
    assert button(page, GET_STARTER).isEnabled()
    models.fetched["standard"] = STANDARD.fetch_bytes - 200_000_000
    show(page, models)
    assert button(page, "Go on with Standard (200 MB left)").isEnabled()


def test_a_failure_is_a_sentence_and_can_be_tried_again(
    qtbot: QtBot, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    held.error = ModelUnsupported(what="a strange model")
    held.go_on.set()
    page.add([Path("strange.gguf")])
    qtbot.waitUntil(lambda: not page.is_adding)
    assert any("a strange model" in text for text in texts(page))
    qtbot.mouseClick(button(page, "Try again"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.is_adding)
    assert models.sources == [[Path("strange.gguf")]] * 2


def test_what_is_here_is_not_offered(page: ModelsPage, models: ScriptedModels) -> None:
    models.here = [installed(STARTER)]
    show(page, models)
    assert "Models" in texts(page)
    assert "Starter" not in texts(page)
    assert "Standard" in texts(page)
    assert button(page, "Back to the chat").isVisibleTo(page)


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        (Machine(2 * GB, GB, 500 * GB), "Too large for this computer"),
        (Machine(32 * GB, GB, 500 * GB), "Runs when other programs are closed"),
        (Machine(32 * GB, 16 * GB, GB), "Too little room on the disk"),
    ],
)
def test_what_does_not_fit_says_so_and_is_not_recommended(
    page: ModelsPage, models: ScriptedModels, machine: Machine, sentence: str
) -> None:
    models.here = [installed(STARTER)]
    show(page, models, machine)
    assert any(text.startswith(sentence) for text in texts(page))
    assert "Recommended" not in texts(page)


def test_the_most_capable_model_that_fits_is_recommended(models: ScriptedModels) -> None:
    shelf = read_shelf(models, lambda: BIG_MACHINE)
    small = read_shelf(models, lambda: Machine(2 * GB, 2 * GB, 500 * GB))
    assert shelf.recommended is not None
    assert shelf.recommended.entry.id == "standard"
    assert small.recommended is not None
    assert small.recommended.entry.id == "starter"


def test_cards_stand_below_each_other_where_it_is_narrow(qtbot: QtBot, page: ModelsPage) -> None:
    assert page._row.direction() == QBoxLayout.Direction.LeftToRight
    page.resize(560, 700)
    qtbot.waitUntil(lambda: page._row.direction() == QBoxLayout.Direction.TopToBottom)
    assert not page.horizontalScrollBar().isVisible()
