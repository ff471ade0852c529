"""The settings in force, and the one place in the window that changes and saves them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.settings import Settings
from ui.tasks import Tasks


class SettingsKeeper(QObject):
    """Holds a `Settings` value; GUI thread only.

    Signals:
        failed: (error): the settings could not be saved; they are in force all the same.
    """

    failed = Signal(object)

    def __init__(
        self, settings: Settings, path: Path, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._path = path
        self._tasks = tasks
        self.value = settings

    def change(self, **changes: Any) -> None:
        """Put new values in force and save them beside the event loop."""
        settings = replace(self.value, **changes)
        if settings == self.value:
            return
        self.value = settings
        self._tasks.start(lambda: settings.save(self._path), lambda _: None, self.failed.emit, self)
