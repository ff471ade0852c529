"""What a person sets for all conversations: the look, where models run, and their memory."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from inference.types import DeviceChoice, DeviceWish
from ui.devices.controller import Devices
from ui.settings.keeper import SettingsKeeper
from ui.settings.memory_dialog import MemoryDialog
from ui.settings.menu import SettingsMenu
from ui.theme import Scheme, Theme

if TYPE_CHECKING:
    from app.models.runner_view import KvUse


class Memory(Protocol):
    """The part of the model runner that knows what conversations take."""

    @property
    def kv_use(self) -> "KvUse":
        """What all KV caches take, and what they may take; never blocks."""
        ...

    @property
    def can_shrink_kv(self) -> bool:
        """Whether the model in use can keep 8-bit numbers in them; reads a few bytes."""
        ...


class Preferences(QObject):
    """Opens the menu and its dialogs, and keeps what is chosen; GUI thread only.

    Attributes:
        has_library: Whether the menu offers the library.

    Signals:
        library_requested: Show the library.
        models_requested: Show the models.
        downloads_requested: Show where models are downloaded from.
        wish_chosen: Where models shall run from now on, or the same again because a device works
            now; a `DeviceWish`.
    """

    library_requested = Signal()
    models_requested = Signal()
    downloads_requested = Signal()
    wish_chosen = Signal(str)

    def __init__(
        self,
        settings: SettingsKeeper,
        theme: Theme,
        devices: Devices,
        memory: Memory,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._settings = settings
        self._theme = theme
        self._devices = devices
        self._memory = memory
        self._window = window
        self._memory_dialog: MemoryDialog | None = None
        self.has_library = False
        devices.wish_chosen.connect(self._choose_device)
        devices.found_working.connect(self._take_device)

    def show_menu(self, position: QPoint) -> None:
        """Show the menu so that it ends at `position`, in the screen's coordinates."""
        menu = SettingsMenu(self._theme.scheme, self._window, has_library=self.has_library)
        menu.scheme_chosen.connect(self._choose_scheme)
        menu.library_requested.connect(self.library_requested)
        menu.models_requested.connect(self.models_requested)
        menu.downloads_requested.connect(self.downloads_requested)
        menu.devices_requested.connect(self.show_devices)
        menu.memory_requested.connect(self.show_memory)
        menu.pop_above(position)

    def show_devices(self) -> None:
        """Show what models can run on."""
        self._devices.open(self._settings.value.device)

    def show_memory(self) -> None:
        """Show what models may keep in memory."""
        if self._memory_dialog is not None:
            self._memory_dialog.activateWindow()
            return
        dialog = self._memory_dialog = MemoryDialog(
            self._theme,
            self._settings.value,
            lambda: self._memory.kv_use,
            can_shrink=self._memory.can_shrink_kv,
            parent=self._window,
        )
        dialog.chosen.connect(lambda changes: self._settings.change(**changes))
        dialog.finished.connect(self._forget)
        dialog.open()

    def show_device(self, device: DeviceChoice | None) -> None:
        """Take note where the model runs."""
        self._devices.show_device(device)

    def close(self) -> None:
        """End what was begun for the dialogs; never waits."""
        self._devices.close()

    def _forget(self) -> None:
        if self._memory_dialog is not None:
            self._memory_dialog.deleteLater()
            self._memory_dialog = None

    def _choose_device(self, wish: DeviceWish) -> None:
        self._settings.change(device=wish)
        self.wish_chosen.emit(wish)

    def _take_device(self) -> None:
        wish = self._settings.value.device
        if wish != "cpu":
            self.wish_chosen.emit(wish)

    def _choose_scheme(self, scheme: Scheme) -> None:
        self._theme.set_scheme(scheme)
        self._settings.change(theme=scheme)
