from pathlib import Path

from pytestqt.qtbot import QtBot

from app.errors import StoreReadOnly
from app.settings import Settings
from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks


def test_a_change_is_in_force_at_once_and_on_disk_soon(
    qtbot: QtBot, tmp_path: Path, tasks: Tasks
) -> None:
    path = tmp_path / "settings.json"
    keeper = SettingsKeeper(Settings(), path, tasks)
    keeper.change(theme="dark")
    assert keeper.value.theme == "dark"
    qtbot.waitUntil(lambda: path.exists() and Settings.load(path).theme == "dark")


def test_the_last_change_is_on_disk_when_it_returns(tmp_path: Path, tasks: Tasks) -> None:
    path = tmp_path / "settings.json"
    SettingsKeeper(Settings(), path, tasks).save_last(window_geometry="abc")
    assert Settings.load(path).window_geometry == "abc"


def test_settings_that_cannot_be_saved_are_said_and_stay_in_force(
    qtbot: QtBot, tmp_path: Path, tasks: Tasks
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    keeper = SettingsKeeper(Settings(), blocked / "settings.json", tasks)
    with qtbot.waitSignal(keeper.failed) as failed:
        keeper.change(theme="dark")
    assert isinstance(failed.args[0], StoreReadOnly)
    with qtbot.waitSignal(keeper.failed):
        keeper.save_last(theme="light")
    assert keeper.value.theme == "light"


def test_nothing_is_written_when_nothing_changed(tmp_path: Path, tasks: Tasks) -> None:
    path = tmp_path / "settings.json"
    keeper = SettingsKeeper(Settings(), path, tasks)
    keeper.change(theme="system")
    keeper.save_last()
    assert not path.exists()
