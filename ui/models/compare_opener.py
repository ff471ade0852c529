"""Opens the dialog that compares models, one at a time."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ui.models.compare_desk import CompareDesk
from ui.models.compare_dialog import CompareDialog
from ui.tasks import Tasks
from ui.theme import Theme


class Comparisons(QObject):
    """GUI thread only.

    Args:
        desk: Gives what compares; asked on a thread, for it may be made then.
        theme: The window's.
        tasks: The window's.
        window: Parent of the dialog.
    """

    def __init__(
        self, desk: Callable[[], CompareDesk], theme: Theme, tasks: Tasks, window: QWidget
    ) -> None:
        super().__init__(window)
        self._desk = desk
        self._theme = theme
        self._tasks = tasks
        self._window = window
        self.dialog: CompareDialog | None = None

    def open(self, model_id: str = "") -> None:
        """Show the dialog with this model as the first one."""
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        dialog = self.dialog = CompareDialog(
            self._desk, self._theme, self._tasks, self._window, chosen_id=model_id
        )
        dialog.finished.connect(self._forget)
        dialog.open()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
