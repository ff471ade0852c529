"""One folder of the library."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.buttons import IconButton
from ui.labels import ElidedLabel, IconLabel
from ui.theme import Theme


class FolderCard(QFrame):
    """Where it is, and the way out of the library.

    Signals:
        remove_requested: Take it out of the library.
    """

    remove_requested = Signal()

    def __init__(self, theme: Theme, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.setObjectName("document_card")
        self.setAccessibleName(self.tr("Folder {}").format(path.name))
        name, where = ElidedLabel("title"), ElidedLabel("muted")
        name.setText(path.name or str(path))
        where.setText(str(path.parent))
        self.setToolTip(str(path))
        remove = IconButton(theme, "trash", self.tr("Remove {}").format(path.name), size_px=16)
        remove.clicked.connect(self.remove_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(IconLabel(theme, "folder", color="accent", size_px=20))
        row.addWidget(name)
        row.addWidget(where, 1)
        row.addWidget(remove)
