"""The devices' dialog: what is there, a test with progress and an end, and a wish."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.models import catalog
from app.models.device_values import DeviceReport
from inference.errors import ModelDamaged
from inference.types import DeviceChoice
from tests.ui.devices.scripted import CPU, FAILED, GPU, NPU, PROCESSOR, ScriptedDevices
from tests.ui.finding import button, only
from tests.ui.models.conftest import installed
from ui.devices.controller import Devices
from ui.devices.dialog import DevicesDialog
from ui.tasks import Tasks
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.installed import InstalledModel

STARTER, _ = catalog.entries()


class Around:
    """The controller and what stands behind it."""

    def __init__(self, theme: Theme, tasks: Tasks, window: QWidget) -> None:
        self.desk = ScriptedDevices()
        self.model: InstalledModel | None = installed(STARTER)
        self.devices = Devices(lambda: self.desk, lambda: self.model, theme, tasks, window)

    @property
    def dialog(self) -> DevicesDialog:
        assert self.devices._dialog is not None
        return self.devices._dialog


@pytest.fixture
def around(qtbot: QtBot, theme: Theme, tasks: Tasks) -> Iterator[Around]:
    window = QWidget()
    qtbot.addWidget(window)
    around = Around(theme, tasks, window)
    yield around
    around.devices.close()
    around.desk.go_on.set()


def opened(qtbot: QtBot, around: Around) -> DevicesDialog:
    around.devices.open("auto")
    qtbot.waitUntil(lambda: bool(around.dialog.cards()))
    return around.dialog


def states(around: Around) -> list[str]:
    return [card.state_text for card in around.dialog.cards()]


def test_every_device_is_listed_with_what_is_known_of_it(qtbot: QtBot, around: Around) -> None:
    around.desk.found = (
        FAILED,
        replace(PROCESSOR, tokens_per_s=21.04),
        DeviceReport(NPU, is_virtual=True),
    )
    opened(qtbot, around)
    assert states(around) == [
        "Does not work: its driver refused the model",
        "Works · 21.0 tokens/s",
        "Only for preparing models on another computer; it cannot answer.",
    ]
    gpu, _, virtual = around.dialog.cards()
    assert gpu._details.text() == "Graphics processor · AMD · 8.0 GB · driver 24.1"
    assert not button(gpu, "Try again: Radeon").isHidden()
    assert button(virtual, "Test this device: Virtual").isHidden()


def test_the_tab_key_goes_from_the_top_down(qtbot: QtBot, around: Around) -> None:
    dialog = opened(qtbot, around)
    order: list[str] = []
    widget = only(dialog, QComboBox).nextInFocusChain()
    while widget is not None and not isinstance(widget, QComboBox):
        if isinstance(widget, QPushButton) and not widget.isHidden():
            order.append(widget.accessibleName() or widget.text())
        widget = widget.nextInFocusChain()
    assert order == ["Try again: Radeon", "Test this device: Ryzen", "Close"]


def test_a_test_shows_its_stages_and_its_speed(qtbot: QtBot, around: Around) -> None:
    opened(qtbot, around)
    button(around.dialog, "Try again: Radeon").click()
    qtbot.waitUntil(lambda: states(around)[0] == "Loading the model…")
    assert not button(around.dialog, "Test this device: Ryzen").isEnabled()
    with qtbot.waitSignal(around.devices.found_working):
        around.desk.go_on.set()
    assert states(around)[0] == "Works"
    measured = around.dialog.cards()[0].measured_text
    assert measured == (
        "Measured: reads 812 tokens/s, writes 31.4 tokens/s,"
        " 71 % of what the memory can deliver, 420 MB of memory"
    )
    assert around.desk.forgotten == [GPU]
    assert button(around.dialog, "Test this device: Ryzen").isEnabled()


def test_a_test_is_given_up(qtbot: QtBot, around: Around) -> None:
    opened(qtbot, around)
    button(around.dialog, "Try again: Radeon").click()
    qtbot.waitUntil(lambda: states(around)[0] == "Loading the model…")
    card = around.dialog.cards()[0]
    button(card, "Cancel").click()
    assert states(around)[0] == "Stopping…"
    with qtbot.assertNotEmitted(around.devices.found_working):
        around.desk.go_on.set()
        qtbot.waitUntil(lambda: states(around)[0].startswith("Does not work"))
    assert around.dialog.note == ""


def test_a_model_that_is_damaged_is_said(qtbot: QtBot, around: Around) -> None:
    around.desk.result = ModelDamaged(file="model.onnx", reason="size")
    opened(qtbot, around)
    around.desk.go_on.set()
    button(around.dialog, "Test this device: Ryzen").click()
    qtbot.waitUntil(lambda: "model.onnx" in around.dialog.note)


def test_without_a_model_nothing_is_tested(qtbot: QtBot, around: Around) -> None:
    around.model = None
    opened(qtbot, around)
    assert around.dialog.note == "A device is tested with a model: add one first."
    assert not button(around.dialog, "Test this device: Ryzen").isEnabled()


def test_a_device_that_fails_again_is_not_measured(qtbot: QtBot, around: Around) -> None:
    around.desk.result = FAILED
    around.desk.go_on.set()
    opened(qtbot, around)
    with qtbot.assertNotEmitted(around.devices.found_working):
        button(around.dialog, "Try again: Radeon").click()
        qtbot.waitUntil(lambda: around.devices._trial is None)
    assert states(around)[0].startswith("Does not work")
    assert around.dialog.cards()[0].measured_text == ""


def test_testing_the_device_in_use_loads_nothing_anew(qtbot: QtBot, around: Around) -> None:
    around.desk.result = PROCESSOR
    around.desk.go_on.set()
    around.devices.show_device(DeviceChoice("cpu", CPU.provider, "Ryzen"))
    opened(qtbot, around)
    with qtbot.assertNotEmitted(around.devices.found_working):
        button(around.dialog, "Test this device: Ryzen").click()
        qtbot.waitUntil(lambda: bool(around.dialog.cards()[1].measured_text))


def test_only_a_processor_is_said(qtbot: QtBot, around: Around) -> None:
    around.desk.found = (PROCESSOR,)
    opened(qtbot, around)
    assert around.dialog.note.startswith("Snug found no graphics or AI processor")


def test_a_wish_is_handed_on(qtbot: QtBot, around: Around) -> None:
    dialog = opened(qtbot, around)
    wishes = only(dialog, QComboBox)
    assert wishes.currentData() == "auto"
    with qtbot.waitSignal(around.devices.wish_chosen) as chosen:
        wishes.setCurrentIndex(wishes.findData("gpu"))
        wishes.activated.emit(wishes.currentIndex())
    assert chosen.args == ["gpu"]


def test_it_says_where_the_model_runs_and_why(qtbot: QtBot, around: Around) -> None:
    dialog = opened(qtbot, around)
    assert dialog._now.text() == "No model is loaded now."
    around.devices.show_device(DeviceChoice("cpu", "CPU", "Ryzen", "the GPU's driver is too old"))
    assert dialog._now.text() == "Now: CPU, because the GPU's driver is too old"


def test_closing_the_dialog_gives_a_test_up(qtbot: QtBot, around: Around) -> None:
    opened(qtbot, around)
    button(around.dialog, "Try again: Radeon").click()
    trial = around.devices._trial
    assert trial is not None
    around.dialog.reject()
    assert trial.is_cancelled
    around.desk.go_on.set()
    qtbot.waitUntil(lambda: around.devices._trial is None)
