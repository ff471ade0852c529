from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from app.models import catalog
from inference.errors import ModelDamaged, ModelUnsupported
from inference.manifest import Manifest
from tests.ui.finding import button
from tests.ui.models.conftest import ScriptedModels, installed
from tests.ui.models.parts import Around, make_around
from ui.models.details import ModelDetails
from ui.models.record import read_record
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme

STARTER, STANDARD = catalog.entries()


@pytest.fixture
def around(
    qtbot: QtBot, theme: Theme, tasks: Tasks, models: ScriptedModels, keeper: SettingsKeeper
) -> Iterator[Around]:
    models.here = [installed(STARTER), installed(STANDARD)]
    around = make_around(qtbot, theme, tasks, models, keeper)
    around.show()
    yield around
    around.jobs.close()


@pytest.fixture
def details(around: Around) -> ModelDetails:
    button(around.page, "Details of Starter").click()
    dialog = around.manager.details.dialog
    assert dialog is not None
    return dialog


def test_facts_are_shown(details: ModelDetails) -> None:
    assert details.values["Licence"] == "Apache License 2.0"
    assert details.values["Context"] == "8,192 tokens"


def test_verify_ends_in_words(qtbot: QtBot, details: ModelDetails, models: ScriptedModels) -> None:
    button(details, "Verify").click()
    qtbot.waitUntil(lambda: details.checked_text.startswith("Every byte is as it was"))
    models.damage = ModelDamaged(file="model.onnx", reason="changed")
    button(details, "Verify").click()
    qtbot.waitUntil(lambda: "model.onnx" in details.checked_text)


def test_a_model_is_given_to_a_task_and_taken_back(around: Around, details: ModelDetails) -> None:
    boxes = {box.text(): box for box in details.findChildren(QCheckBox)}
    boxes["Summaries"].click()
    assert around.settings.value.task_models == {"summary": "starter"}
    boxes["Chat"].click()
    assert around.settings.value.model_id == "starter"
    boxes["Summaries"].click()
    assert around.settings.value.task_models == {}


def test_a_removed_model_can_be_brought_back(
    qtbot: QtBot, around: Around, details: ModelDetails, models: ScriptedModels
) -> None:
    button(details, "Remove: Starter").click()
    qtbot.waitUntil(lambda: around.page.undo.isVisibleTo(around.page))
    assert [model.id for model in models.here] == ["standard"]
    button(around.page, "Bring Starter back").click()
    qtbot.waitUntil(lambda: not around.page.undo.isVisibleTo(around.page))
    assert {model.id for model in models.here} == {"starter", "standard"}


def test_a_pack_that_is_written_is_no_model_to_use(
    qtbot: QtBot, around: Around, details: ModelDetails, models: ScriptedModels
) -> None:
    (model,) = (one for one in models.here if one.id == "starter")
    around.manager.details.export(model, Path("starter.snugpack"))
    qtbot.waitUntil(lambda: around.notices.text == "Starter as a pack is written.")
    assert models.exported == [("starter", Path("starter.snugpack"))]
    assert around.runner.selected == []


def test_a_pack_that_fails_is_not_added_as_a_model(
    qtbot: QtBot, around: Around, models: ScriptedModels
) -> None:
    def fail(task: object) -> str:
        raise ModelUnsupported(what="it")

    models.work = fail
    around.manager.details.export(models.here[0], Path("starter.snugpack"))
    qtbot.waitUntil(lambda: bool(around.page.downloads.rows))
    again = button(around.page, "Try again: Starter as a pack")
    assert not again.isVisibleTo(around.page)


def test_a_record_has_the_licence_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("Do as you like.")
    facts = Manifest({}, "tiny", parameters=5, origin="hub:acme/tiny@0123/cpu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inference.manifest.read", lambda folder: facts)
        record = read_record(replace(installed(STARTER), folder=tmp_path))
    assert record.licence_text == "Do as you like."
    assert record.origin == "hub:acme/tiny@0123/cpu"
    assert not record.is_catalog
