"""Asks for an access token of a hub, and says where it is kept."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.labels import text_label

_WIDTH_PX = 480


class TokenDialog(QDialog):
    """A field that hides what is typed; whoever opened it keeps the token.

    Signals:
        entered: (token).
    """

    entered = Signal(str)

    def __init__(self, host: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Access token"))
        self.setMinimumWidth(_WIDTH_PX)
        self._field = QLineEdit()
        self._field.setEchoMode(QLineEdit.EchoMode.Password)
        self._field.setAccessibleName(self.tr("Access token"))
        self._field.textChanged.connect(self._on_typed)
        self._failure = text_label(role="danger", wrap=True)
        self._failure.hide()
        self._keep = QPushButton(self.tr("Keep"))
        self._keep.setProperty("role", "primary")
        self._keep.setDefault(True)
        self._keep.setEnabled(False)
        self._keep.clicked.connect(self._on_keep)
        about = self.tr(
            "Make a token that may only read at {host}, and paste it here. It is kept in this"
            " system's keyring and nowhere else, and is sent to {host} alone."
        ).format(host=host)
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(8)
        column.addWidget(text_label(self.tr("Access token"), "title"))
        column.addWidget(text_label(about, wrap=True))
        column.addWidget(self._field)
        column.addWidget(self._failure)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self._keep)
        column.addSpacing(6)
        column.addLayout(foot)
        self._field.setFocus()

    @property
    def failure_text(self) -> str:
        """Why the token could not be kept; empty otherwise."""
        return self._failure.text() if not self._failure.isHidden() else ""

    def show_failure(self, text: str) -> None:
        """Say why it could not be kept."""
        self._failure.setText(text)
        self._failure.show()
        self._on_typed()

    def _on_typed(self) -> None:
        self._keep.setEnabled(bool(self._field.text().strip()))

    def _on_keep(self) -> None:
        self._failure.hide()
        self._keep.setEnabled(False)
        self.entered.emit(self._field.text().strip())
