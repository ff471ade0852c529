from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.models import catalog
from app.models.fit import Machine
from app.models.installed import ModelProblem
from inference.errors import ModelMissing, ModelUnsupported
from tests.ui.finding import button, only
from tests.ui.models.conftest import BIG_MACHINE, GB, HeldWork, ScriptedModels, installed
from tests.ui.models.parts import Around, make_around
from ui.models.page import ModelsPage
from ui.models.shelf import read_shelf
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

GET_STARTER = "Get Starter (93 MB)"
STARTER, STANDARD = catalog.entries()


@pytest.fixture
def around(
    qtbot: QtBot, theme: Theme, tasks: Tasks, models: ScriptedModels, keeper: SettingsKeeper
) -> Iterator[Around]:
    around = make_around(qtbot, theme, tasks, models, keeper)
    around.show()
    yield around
    around.jobs.close()


@pytest.fixture
def page(around: Around) -> ModelsPage:
    return around.page


def show(page: ModelsPage, models: ScriptedModels, machine: Machine = BIG_MACHINE) -> None:
    page.show_shelf(read_shelf(models, lambda: machine))
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def texts(page: ModelsPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page)]


def search(page: ModelsPage, text: str) -> None:
    only(page, QLineEdit).setText(text)


def test_the_first_start_welcomes_and_fetches_nothing(
    page: ModelsPage, models: ScriptedModels
) -> None:
    assert "Welcome to Snug" in texts(page)
    assert "Runs well on this computer" in texts(page)
    assert not button(page, "Back to the chat").isVisibleTo(page)
    assert not page.hub.isVisibleTo(page)
    assert not page.found.isVisibleTo(page)
    assert models.sources == []
    assert models.asked == []


def test_the_welcome_has_more_ways_for_who_looks_for_them(qtbot: QtBot, page: ModelsPage) -> None:
    qtbot.mouseClick(button(page, "More ways to get a model"), Qt.MouseButton.LeftButton)
    assert page.hub.isVisibleTo(page)
    assert page.found.isVisibleTo(page)
    assert only(page, QLineEdit).isVisibleTo(page)


def test_one_button_gets_a_model_and_says_how_far_it_is(
    qtbot: QtBot, around: Around, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    qtbot.mouseClick(button(page, GET_STARTER), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Fetching: 25 MB of 100 MB" in texts(page))
    (row,) = page.downloads.rows
    assert row.permille == 250
    assert around.status.adding_text == "Starter: 25 %"
    assert not button(page, GET_STARTER).isEnabled()
    around.manager.add("starter")
    assert models.sources == ["starter"]
    with qtbot.waitSignal(around.manager.added) as added:
        held.go_on.set()
    assert added.args == ["starter"]
    assert page.downloads.rows == ()
    assert around.status.adding_text == ""


def test_a_paused_model_keeps_its_row_and_goes_on(
    qtbot: QtBot, around: Around, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    around.manager.add("standard")
    qtbot.waitUntil(lambda: "Fetching: 25 MB of 100 MB" in texts(page))
    button(page, "Pause: Standard").click()
    qtbot.waitUntil(lambda: "Paused: 25 MB of 100 MB" in texts(page))
    models.kept = [models.kept_of(STANDARD)]
    button(page, "Resume: Standard").click()
    qtbot.waitUntil(lambda: models.resumed == ["standard"])
    qtbot.waitUntil(lambda: "Fetching: 25 MB of 100 MB" in texts(page))
    assert len(page.downloads.rows) == 1


def test_cancel_takes_the_row_away(
    qtbot: QtBot, around: Around, page: ModelsPage, held: HeldWork
) -> None:
    around.manager.add("standard")
    qtbot.mouseClick(button(page, "Cancel: Standard"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.downloads.rows == ())
    assert button(page, GET_STARTER).isEnabled()


def test_what_came_of_a_paused_model_can_be_discarded(
    qtbot: QtBot, around: Around, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    around.manager.add("standard")
    qtbot.waitUntil(lambda: "Fetching: 25 MB of 100 MB" in texts(page))
    button(page, "Pause: Standard").click()
    qtbot.waitUntil(lambda: button(page, "Discard: Standard").isVisibleTo(page))
    models.kept = [models.kept_of(STANDARD)]
    button(page, "Discard: Standard").click()
    assert page.downloads.rows == ()
    assert models.kept == []


def test_a_failure_is_a_sentence_and_can_be_tried_again(
    qtbot: QtBot, around: Around, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    held.error = ModelUnsupported(what="a strange model")
    held.go_on.set()
    around.manager.add([Path("strange.gguf")])
    qtbot.waitUntil(lambda: any("a strange model" in text for text in texts(page)))
    button(page, "Try again: strange").click()
    qtbot.waitUntil(lambda: len(models.sources) == 2)
    assert models.sources == [[Path("strange.gguf")]] * 2
    qtbot.waitUntil(lambda: any("a strange model" in text for text in texts(page)))
    button(page, "Dismiss the failure of strange").click()
    assert page.downloads.rows == ()


def test_what_is_here_is_not_offered(page: ModelsPage, models: ScriptedModels) -> None:
    models.here = [installed(STARTER)]
    show(page, models)
    assert "Models" in texts(page)
    assert [row.accessibleName() for row in page.installed.rows] == ["Starter"]
    assert "Get Starter (93 MB)" not in texts(page)
    assert "Standard" in texts(page)
    assert button(page, "Back to the chat").isVisibleTo(page)


def test_a_search_leaves_what_fits(page: ModelsPage, models: ScriptedModels) -> None:
    models.here = [installed(STARTER)]
    show(page, models)
    everything = len(page.hub.shown_rows)
    search(page, "chinese mit")
    assert 0 < len(page.hub.shown_rows) < everything
    assert not page.installed.isVisibleTo(page)
    search(page, "nothing at all is called so")
    assert "No model fits what you search for." in texts(page)
    search(page, "")
    assert len(page.hub.shown_rows) == everything
    assert page.installed.isVisibleTo(page)


def test_a_model_that_cannot_be_used_says_why(page: ModelsPage, models: ScriptedModels) -> None:
    models.here = [installed(STARTER)]
    models.broken = [ModelProblem("half", ModelMissing(model="half"))]
    show(page, models)
    assert [row.accessibleName() for row in page.installed.rows] == ["Starter", "half"]
    assert page.installed.rows[1].facts_text == "The model's files are not there any more."
    button(page, "Remove half").click()
    assert models.removals == ["half"]


def test_an_earlier_download_can_go_on_or_be_discarded(
    qtbot: QtBot, around: Around, page: ModelsPage, models: ScriptedModels, held: HeldWork
) -> None:
    models.here = [installed(STARTER)]
    models.kept = [models.kept_of(STANDARD)]
    show(page, models)
    around.show()
    (row,) = page.paused.shown_rows
    assert row.facts_text == "500 MB of 1.1 GB are here"
    button(page, "Resume Standard").click()
    qtbot.waitUntil(lambda: models.resumed == ["standard"])
    qtbot.waitUntil(lambda: page.paused.rows == ())
    button(page, "Cancel: Standard").click()
    qtbot.waitUntil(lambda: len(page.paused.rows) == 1)
    button(page, "Discard what came of Standard").click()
    qtbot.waitUntil(lambda: page.paused.rows == ())


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


def test_what_runs_well_stands_first(models: ScriptedModels) -> None:
    machine = Machine(8 * GB, 8 * GB, 500 * GB)
    verdicts = [offer.fit.verdict for offer in read_shelf(models, lambda: machine).hub]
    order = ("fits", "tight", "too_big")
    assert {"fits", "too_big"} <= set(verdicts)
    assert verdicts == sorted(verdicts, key=order.index)


def test_rows_that_would_say_the_same_are_not_laid_out_anew(
    page: ModelsPage, models: ScriptedModels
) -> None:
    def show(memory_free_bytes: int) -> None:
        machine = Machine(32 * GB, memory_free_bytes, 500 * GB)
        page.show_shelf(read_shelf(models, lambda: machine))

    show(30 * GB)
    before = page.hub.rows
    show(31 * GB)
    assert page.hub.rows == before
    show(1 * GB)
    assert page.hub.rows != before


def test_cards_stand_below_each_other_where_it_is_narrow(qtbot: QtBot, page: ModelsPage) -> None:
    assert page.catalog.cards.direction() == QBoxLayout.Direction.LeftToRight
    page.resize(560, 700)
    qtbot.waitUntil(lambda: page.catalog.cards.direction() == QBoxLayout.Direction.TopToBottom)
    content = page._area.widget()
    assert content is not None
    assert content.width() <= page._area.viewport().width()


def test_every_button_says_what_it_is_to_a_screen_reader(
    page: ModelsPage, models: ScriptedModels
) -> None:
    models.here = [installed(STARTER)]
    show(page, models)
    buttons = [
        one for one in page.findChildren(QAbstractButton) if not isinstance(one.parent(), QLineEdit)
    ]
    assert len(buttons) > 10
    assert all(one.accessibleName() or one.text() for one in buttons)
