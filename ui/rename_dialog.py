"""Asks for another title of the open conversation."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget


class RenameDialog(QInputDialog):
    """One line; what is entered goes to `rename`."""

    def __init__(self, title: str, rename: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Rename"))
        self.setLabelText(self.tr("New title"))
        self.setTextValue(title)
        self.textValueSelected.connect(rename)
