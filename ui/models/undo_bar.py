"""Says that models were removed, and takes it back until Snug is started again."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ui.buttons import IconButton
from ui.labels import ElidedLabel
from ui.theme import Theme


class UndoBar(QFrame):
    """One line for each removed model.

    Signals:
        undo_wanted: (model_id).
    """

    undo_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: dict[str, QWidget] = {}
        self.setObjectName("dock")
        self.setAccessibleName(self.tr("Removed models"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 6, 12, 6)
        self._column.setSpacing(4)
        self.hide()

    def add(self, model_id: str, title: str) -> None:
        """Say that a model was removed."""
        self.take_away(model_id)
        text = self.tr("{} is removed. It can be brought back until Snug is closed.").format(title)
        label = ElidedLabel()
        label.setText(text)
        label.setToolTip(text)
        undo = QPushButton(self.tr("Undo"))
        undo.setProperty("role", "small")
        undo.setAccessibleName(self.tr("Bring {} back").format(title))
        undo.clicked.connect(lambda: self._undo(model_id))
        close = IconButton(self._theme, "close", self.tr("Dismiss"), size_px=16)
        close.clicked.connect(lambda: self.take_away(model_id))
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label, 1)
        row.addWidget(undo)
        row.addWidget(close)
        self._lines[model_id] = line
        self._column.addWidget(line)
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def take_away(self, model_id: str) -> None:
        """Say no more of a model."""
        line = self._lines.pop(model_id, None)
        if line is not None:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.setVisible(bool(self._lines))

    def _undo(self, model_id: str) -> None:
        self._lines[model_id].setEnabled(False)
        self.undo_wanted.emit(model_id)
