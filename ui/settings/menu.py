"""The menu behind the gear: the look, and the way to models, devices and memory."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from ui.theme import Scheme


class SettingsMenu(QMenu):
    """Built anew each time it is shown.

    Signals:
        scheme_chosen: (scheme).
        library_requested: No arguments.
        models_requested: No arguments.
        downloads_requested: No arguments.
        devices_requested: No arguments.
        memory_requested: No arguments.
    """

    scheme_chosen = Signal(str)
    library_requested = Signal()
    models_requested = Signal()
    downloads_requested = Signal()
    devices_requested = Signal()
    memory_requested = Signal()

    def __init__(self, scheme: Scheme, parent: QWidget, *, has_library: bool = False) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.addAction(self.tr("Look")).setEnabled(False)
        group = QActionGroup(self)
        schemes: tuple[tuple[Scheme, str], ...] = (
            ("system", self.tr("Like the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
        )
        for value, text in schemes:
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == scheme)
            action.triggered.connect(self._choice(value))
            group.addAction(action)
        self.addSeparator()
        if has_library:
            self.addAction(self.tr("Library…")).triggered.connect(self.library_requested)
        self.addAction(self.tr("Models…")).triggered.connect(self.models_requested)
        self.addAction(self.tr("Downloads…")).triggered.connect(self.downloads_requested)
        self.addAction(self.tr("Devices…")).triggered.connect(self.devices_requested)
        self.addAction(self.tr("Memory…")).triggered.connect(self.memory_requested)

    def pop_above(self, position: QPoint) -> None:
        """Show the menu so that it ends at `position`, as a button at the window's foot needs."""
        self.popup(position - QPoint(0, self.sizeHint().height()))

    def _choice(self, scheme: Scheme) -> Callable[[], None]:
        return lambda: self.scheme_chosen.emit(scheme)
