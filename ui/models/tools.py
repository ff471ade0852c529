"""What those who open dialogs about models need."""

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ui.settings.keeper import SettingsKeeper
from ui.tasks import Tasks
from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Tools:
    """The window's tools; `window` is the dialogs' parent."""

    theme: Theme
    tasks: Tasks
    settings: SettingsKeeper
    window: QWidget
