from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from inference.types import DeviceChoice
from tests.ui.finding import only
from ui.status_bar import StatusBar
from ui.theme import Theme


def bar(qtbot: QtBot, theme: Theme) -> StatusBar:
    status = StatusBar(theme)
    qtbot.addWidget(status)
    status.show()
    return status


def test_it_says_only_what_is_known(qtbot: QtBot, theme: Theme) -> None:
    status = bar(qtbot, theme)
    assert status.device_text == "No model loaded"
    assert not status._speed.isVisible()
    assert not only(status, QProgressBar).isVisible()
    status.show_speed(36.84)
    assert status._speed.text() == "36.8 tokens/s"
    assert status._speed.isVisible()


def test_a_fallback_keeps_its_reason(qtbot: QtBot, theme: Theme) -> None:
    status = bar(qtbot, theme)
    status.show_device(DeviceChoice("cpu", "CPU", "Ryzen", "the GPU's driver is too old"))
    assert status.device_text == "CPU, because the GPU's driver is too old"
    assert status._device.toolTip().startswith("CPU · Ryzen")


def test_the_meter_warns_when_the_context_is_nearly_full(qtbot: QtBot, theme: Theme) -> None:
    status = bar(qtbot, theme)
    meter = only(status, QProgressBar)
    status.show_context(2048, 4096)
    assert (meter.value(), meter.property("full")) == (500, "false")
    status.show_context(9000, 4096)
    assert (meter.value(), meter.property("full")) == (1000, "true")
    status.show_context(0, 0)
    assert not meter.isVisible()


def test_it_does_not_claim_to_be_offline_while_a_model_is_fetched(
    qtbot: QtBot, theme: Theme
) -> None:
    status = bar(qtbot, theme)
    assert "Offline" in status._offline.text()
    status.show_fetching(is_fetching=True)
    assert "Offline" not in status._offline.text()
    status.show_fetching(is_fetching=False)
    assert "Offline" in status._offline.text()
