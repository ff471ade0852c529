"""Asks for the store's key where it is missing."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeyNeeded, WrongKey
from ui.settings.key_dialog import KeyChoice, KeyDialog, UnlockDialog
from ui.tasks import Tasks


class KeyDesk(Protocol):
    """Where the window leaves what a person says about the key; an `app.store.Unlocking`."""

    @property
    def kind(self) -> Literal["keyring", "passphrase", "key_file"] | None:
        """How the key is kept, or None where there is none yet."""
        ...

    def use_passphrase(self, passphrase: str) -> None:
        """Try this passphrase the next time the store is opened."""
        ...

    def use_key_file(self) -> None:
        """Keep a new store's key in a file."""
        ...


class Keys(QObject):
    """Shows the one dialog that fits; GUI thread only.

    Signals:
        opened: The store is open now.
        declined: The person does not want to say it now.
        failed: (error): anything but a wrong passphrase.
    """

    opened = Signal()
    declined = Signal()
    failed = Signal(object)

    def __init__(
        self, desk: KeyDesk, try_again: Callable[[], Future[Any]], tasks: Tasks, window: QWidget
    ) -> None:
        """Make the controller; `try_again` asks the store for something, which opens it."""
        super().__init__(window)
        self._desk = desk
        self._try_again = try_again
        self._tasks = tasks
        self._window = window
        self._dialog: KeyDialog | UnlockDialog | None = None

    def can_ask(self) -> bool:
        """Return whether there is anything a person could say: a keyring's key cannot be typed."""
        return self._desk.kind in (None, "passphrase")

    def ask(self) -> None:
        """Ask for a passphrase that exists, or how a new key shall be kept."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        if self._desk.kind == "passphrase":
            unlock = UnlockDialog(self._window)
            unlock.entered.connect(self._unlock)
            self._open(unlock)
        else:
            choice = KeyDialog(self._window)
            choice.chosen.connect(self._use)
            self._open(choice)

    def _open(self, dialog: KeyDialog | UnlockDialog) -> None:
        self._dialog = dialog
        dialog.rejected.connect(self.declined)
        dialog.finished.connect(self._forget)
        dialog.open()

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _use(self, choice: KeyChoice) -> None:
        if choice.kind == "passphrase":
            self._desk.use_passphrase(choice.passphrase)
        else:
            self._desk.use_key_file()
        self._tasks.run(self._try_again(), self._on_opened, self.failed.emit, self)

    def _unlock(self, passphrase: str) -> None:
        self._desk.use_passphrase(passphrase)
        self._tasks.run(self._try_again(), self._on_opened, self._on_refused, self)

    def _on_opened(self, _: object) -> None:
        if self._dialog is not None:
            self._dialog.accept()
        self.opened.emit()

    def _on_refused(self, error: Exception) -> None:
        if isinstance(error, WrongKey | KeyNeeded) and isinstance(self._dialog, UnlockDialog):
            self._dialog.show_wrong()
        else:
            self.failed.emit(error)
