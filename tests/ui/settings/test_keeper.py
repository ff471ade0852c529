from pathlib import Path

from PySide6.QtWidgets import QApplication
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


def test_changes_reach_the_disk_in_their_order_before_the_end(
    tmp_path: Path, qapp: QApplication
) -> None:
    path = tmp_path / "settings.json"
    tasks = Tasks()
    keeper = SettingsKeeper(Settings(), path, tasks)
    keeper.change(theme="dark")
    keeper.change(window_geometry="abc")
    keeper.change(theme="light")
    tasks.close()
    kept = Settings.load(path)
    assert (kept.theme, kept.window_geometry) == ("light", "abc")


def test_settings_that_cannot_be_saved_are_said_and_stay_in_force(
    qtbot: QtBot, tmp_path: Path, tasks: Tasks
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    keeper = SettingsKeeper(Settings(), blocked / "settings.json", tasks)
    with qtbot.waitSignal(keeper.failed) as failed:
        keeper.change(theme="dark")
    assert isinstance(failed.args[0], StoreReadOnly)
    assert keeper.value.theme == "dark"


def test_nothing_is_written_when_nothing_changed(tmp_path: Path, tasks: Tasks) -> None:
    path = tmp_path / "settings.json"
    keeper = SettingsKeeper(Settings(), path, tasks)
    keeper.change(theme="system")
    keeper.change()
    assert not path.exists()
