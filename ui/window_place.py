"""Where the window stood and how large it was, from one start to the next."""

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget

from ui.settings.keeper import SettingsKeeper

_SIZE_PX = (1280, 820)
_LEAST_SIZE_PX = (480, 420)


def restore(window: QWidget, settings: SettingsKeeper) -> None:
    """Give the window its place of the last time, or a good size at the first."""
    window.setMinimumSize(*_LEAST_SIZE_PX)
    kept = QByteArray.fromBase64(settings.value.window_geometry.encode())
    if not window.restoreGeometry(kept):
        window.resize(*_SIZE_PX)


def keep(window: QWidget, settings: SettingsKeeper) -> None:
    """Remember where the window is now."""
    geometry = bytes(window.saveGeometry().toBase64().data()).decode()
    settings.change(window_geometry=geometry)
