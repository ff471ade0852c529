"""The line in which a person searches a document."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from ui.buttons import IconButton
from ui.chat.wording import number
from ui.labels import text_label
from ui.theme import Theme

_PAUSE_MS = 200


class FindBar(QWidget):
    """A field, next and previous, and how many places there are.

    Signals:
        query_changed: Search for this; empty takes the marks away.
        stepped: (by: int): go on to the next place (1) or back (-1).
        closed: Search no more.
    """

    query_changed = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Search in the document"))
        self.field.setAccessibleName(self.tr("Search in the document"))
        self.field.setClearButtonEnabled(True)
        self._count = text_label("", "muted")
        previous = IconButton(theme, "up", self.tr("Previous place"), size_px=16)
        following = IconButton(theme, "down", self.tr("Next place"), size_px=16)
        close = IconButton(theme, "close", self.tr("Close the search"), size_px=16)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(lambda: self.query_changed.emit(self.field.text()))
        self.field.textChanged.connect(lambda _: self._timer.start())
        self.field.returnPressed.connect(self._on_enter)
        previous.clicked.connect(lambda: self.stepped.emit(-1))
        following.clicked.connect(lambda: self.stepped.emit(1))
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 8, 6)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        row.addSpacing(4)
        for widget in (self._count, previous, following, close):
            row.addWidget(widget)
        self.hide()

    @property
    def count_text(self) -> str:
        """What is said about how many places there are."""
        return self._count.text()

    def show_count(self, at: int, count: int) -> None:
        """Say which of how many places is shown; nothing while nothing is searched."""
        if not self.field.text().strip():
            self._count.setText("")
        elif not count:
            self._count.setText(self.tr("Not found"))
        else:
            self._count.setText(self.tr("{} of {}").format(number(at), number(count)))

    def open(self) -> None:
        """Let a person write what to search for."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def _on_enter(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self.query_changed.emit(self.field.text())
        else:
            self.stepped.emit(1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Shift+Enter, close with Esc."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif is_enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.stepped.emit(-1)
        else:
            super().keyPressEvent(event)
