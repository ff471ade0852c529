import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.models import catalog
from inference.types import DeviceChoice
from tests.ui.finding import only
from tests.ui.models.conftest import BIG_MACHINE, ScriptedModels, installed
from tests.ui.window_parts import view_of
from ui.models.picker import ModelPicker
from ui.models.shelf import read_shelf
from ui.theme import Theme

STARTER, STANDARD = catalog.entries()


@pytest.fixture
def picker(qtbot: QtBot, theme: Theme, models: ScriptedModels) -> ModelPicker:
    picker = ModelPicker(theme)
    qtbot.addWidget(picker)
    models.here = [installed(STARTER)]
    picker.show_shelf(read_shelf(models, lambda: BIG_MACHINE))
    return picker


def opened(picker: ModelPicker) -> QMenu:
    menu = only(picker, QMenu)
    menu.aboutToShow.emit()
    return menu


def test_the_menu_lists_what_is_here_and_what_can_be_had(picker: ModelPicker) -> None:
    npu = DeviceChoice("npu", "OpenVINO", "Intel AI Boost")
    picker.show_view(view_of("ready", "starter", device=npu))
    texts = [action.text() for action in opened(picker).actions() if not action.isSeparator()]
    assert texts == [
        "Starter on Intel AI Boost",
        "Get the standard model (1.1 GB)…",
        "Add a file…",
    ]
    assert opened(picker).actions()[0].isChecked()


def test_each_entry_says_what_is_wanted(picker: ModelPicker) -> None:
    wishes: list[str] = []
    picker.chosen.connect(wishes.append)
    picker.wanted.connect(wishes.append)
    picker.file_wanted.connect(lambda: wishes.append("file"))
    for number in (0, 2, 3):
        opened(picker).actions()[number].trigger()
    assert wishes == ["starter", "standard", "file"]


def test_a_long_name_is_cut_and_said_in_full(picker: ModelPicker) -> None:
    name = "a-model-with-a-very-long-name-indeed-q4"
    picker.show_view(view_of("ready", name))
    assert len(picker.text()) <= 28
    assert picker.text().endswith("…")
    assert picker.accessibleName() == f"Model: {name.capitalize()}"


def test_without_a_model_it_says_so(picker: ModelPicker) -> None:
    picker.show_view(view_of("none"))
    assert picker.text() == "No model"
