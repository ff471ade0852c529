"""Asks for the password of one document; it is used once and kept nowhere on disk."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.labels import text_label

_WIDTH_PX = 420


class PasswordDialog(QDialog):
    """One field; leaving it lets the other documents go on.

    Signals:
        given: (password).
    """

    given = Signal(str)

    def __init__(self, name: str, *, is_wrong: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Password"))
        self.setMinimumWidth(_WIDTH_PX)
        about = text_label(self.tr("“{}” is protected by a password.").format(name), wrap=True)
        self._wrong = text_label(self.tr("That password did not fit. Try again."), "danger")
        self._wrong.setVisible(is_wrong)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(self.tr("Password of {}").format(name))
        self.field.setPlaceholderText(self.tr("Password"))
        self.field.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData)
        kept = self.tr("It is used to open this file and is not stored.")
        buttons = QDialogButtonBox()
        self._open = QPushButton(self.tr("Open"))
        self._open.setProperty("role", "primary")
        self._open.setEnabled(False)
        buttons.addButton(self._open, QDialogButtonBox.ButtonRole.AcceptRole)
        skip = QPushButton(self.tr("Skip this document"))
        buttons.addButton(skip, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self._give)
        buttons.rejected.connect(self.reject)
        self.field.textChanged.connect(lambda text: self._open.setEnabled(bool(text)))
        self._open.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 18)
        column.setSpacing(10)
        for widget in (about, self._wrong, self.field, text_label(kept, "muted", wrap=True)):
            column.addWidget(widget)
        column.addSpacing(4)
        column.addWidget(buttons)
        self.field.setFocus()

    @property
    def says_wrong(self) -> bool:
        """Whether it says that the last password did not fit."""
        return not self._wrong.isHidden()

    def _give(self) -> None:
        self.given.emit(self.field.text())
        self.accept()
