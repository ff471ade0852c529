"""Asks for the store's key where it is missing, and says how it is kept."""

from concurrent.futures import Future
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeyNeeded, WrongKey
from ui.settings.key_dialog import KeyChoice, KeyDialog, UnlockDialog
from ui.sidebar import KeyKind
from ui.tasks import Tasks


class KeyDesk(Protocol):
    """How the window gives the store its key; made by the composition root."""

    def kind(self) -> KeyKind:
        """Return how the key is kept; empty for a store that is still to be made."""
        ...

    def use_passphrase(self, passphrase: str) -> Future[None]:
        """Wrap a new store's key with it, or unwrap the key of the store that is there.

        The future fails with WrongKey where it does not open the store.
        """
        ...

    def use_key_file(self) -> Future[None]:
        """Keep a new store's key in a file."""
        ...


class Keys(QObject):
    """Shows the one dialog that fits; GUI thread only.

    Signals:
        opened: (kind): the store can be opened now.
        failed: (error): anything but a wrong passphrase.
    """

    opened = Signal(str)
    failed = Signal(object)

    def __init__(self, desk: KeyDesk, tasks: Tasks, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._tasks = tasks
        self._window = window
        self._dialog: KeyDialog | UnlockDialog | None = None

    def ask(self) -> None:
        """Ask for a passphrase that exists, or how a new key shall be kept."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        if self._desk.kind() == "passphrase":
            unlock = UnlockDialog(self._window)
            unlock.entered.connect(self._unlock)
            self._open(unlock)
        else:
            choice = KeyDialog(self._window)
            choice.chosen.connect(self._use)
            self._open(choice)

    def _open(self, dialog: KeyDialog | UnlockDialog) -> None:
        self._dialog = dialog
        dialog.finished.connect(self._forget)
        dialog.open()

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _use(self, choice: KeyChoice) -> None:
        if choice.kind == "passphrase":
            future = self._desk.use_passphrase(choice.passphrase)
        else:
            future = self._desk.use_key_file()
        self._tasks.run(future, self._on_opened, self.failed.emit, self)

    def _unlock(self, passphrase: str) -> None:
        future = self._desk.use_passphrase(passphrase)
        self._tasks.run(future, self._on_opened, self._on_refused, self)

    def _on_opened(self, _: None) -> None:
        if self._dialog is not None:
            self._dialog.accept()
        self.opened.emit(self._desk.kind())

    def _on_refused(self, error: Exception) -> None:
        if isinstance(error, WrongKey | KeyNeeded) and isinstance(self._dialog, UnlockDialog):
            self._dialog.show_wrong()
        else:
            self.failed.emit(error)
