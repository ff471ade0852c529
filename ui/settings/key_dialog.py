"""Choosing how the store's key is kept, and unlocking it: both only where no key store exists."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ui.labels import text_label

_WIDTH_PX = 480
_SHORTEST_CHARACTERS = 8
_FAIR_CHARACTERS = 12
_STRONG_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """What a person chose; the passphrase is never printed."""

    kind: Literal["passphrase", "key_file"]
    passphrase: str = ""

    def __repr__(self) -> str:
        return f"KeyChoice(kind={self.kind!r})"


class KeyDialog(QDialog):
    """Asks once, for a new store: a passphrase, or a key file that is said to be weaker.

    Signals:
        chosen: (choice: KeyChoice).
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Protect your conversations"))
        self.setMinimumWidth(_WIDTH_PX)
        column = _column(self)
        column.addWidget(text_label(self.tr("Protect your conversations"), "title"))
        explanation = self.tr(
            "Snug keeps your conversations encrypted. This computer has no key store that Snug"
            " can use, so choose how the key is kept."
        )
        column.addWidget(text_label(explanation, wrap=True))
        self._passphrase = QRadioButton(self.tr("A passphrase, asked at every start"))
        self._key_file = QRadioButton(self.tr("A key file on this computer, never asked"))
        group = QButtonGroup(self)
        group.addButton(self._passphrase)
        group.addButton(self._key_file)
        self._passphrase.setChecked(True)
        column.addWidget(self._passphrase)
        column.addWidget(self._build_fields())
        column.addWidget(self._key_file)
        weaker = self.tr("Weaker: whoever can read your files can also read your conversations.")
        column.addWidget(_indented(text_label(weaker, "muted", wrap=True)))
        column.addSpacing(6)
        column.addLayout(self._build_buttons())
        self._passphrase.toggled.connect(self._look)
        self._look()

    def _build_fields(self) -> QWidget:
        self._first = _secret_field(self.tr("Passphrase"))
        self._second = _secret_field(self.tr("The same again"))
        self._strength = QProgressBar()
        self._strength.setTextVisible(False)
        self._strength.setRange(0, _STRONG_CHARACTERS)
        self._strength.setAccessibleName(self.tr("Strength of the passphrase"))
        self._hint = text_label(role="muted", wrap=True)
        for field in (self._first, self._second):
            field.textChanged.connect(self._look)
        lost = text_label(
            self.tr("Nobody can read your conversations without it, and nobody can restore it."),
            "muted",
            wrap=True,
        )
        fields = QWidget()
        column = QVBoxLayout(fields)
        column.setContentsMargins(26, 0, 0, 6)
        column.setSpacing(8)
        for widget in (self._first, self._second, self._strength, self._hint, lost):
            column.addWidget(widget)
        self._fields = fields
        return fields

    def _build_buttons(self) -> QHBoxLayout:
        self._accept = QPushButton(self.tr("Protect"))
        self._accept.clicked.connect(self._choose)
        later = QPushButton(self.tr("Not now"))
        later.clicked.connect(self.reject)
        return _button_row(later, self._accept)

    def _look(self) -> None:
        is_passphrase = self._passphrase.isChecked()
        self._fields.setEnabled(is_passphrase)
        length = len(self._first.text())
        self._strength.setValue(min(length, _STRONG_CHARACTERS))
        is_same = self._first.text() == self._second.text()
        self._hint.setText(self._strength_text(length, is_same=is_same))
        is_good = length >= _SHORTEST_CHARACTERS and is_same
        self._accept.setEnabled(is_good or not is_passphrase)

    def _strength_text(self, length: int, *, is_same: bool) -> str:
        if length < _SHORTEST_CHARACTERS:
            shortest = self.tr("At least {} characters; length is what counts.")
            return shortest.format(_SHORTEST_CHARACTERS)
        if not is_same and self._second.text():
            return self.tr("The two are not the same yet.")
        if length < _FAIR_CHARACTERS:
            return self.tr("Short: a few words in a row are easier to keep and harder to guess.")
        if length < _STRONG_CHARACTERS:
            return self.tr("Good.")
        return self.tr("Strong.")

    def _choose(self) -> None:
        if self._passphrase.isChecked():
            self.chosen.emit(KeyChoice("passphrase", self._first.text()))
        else:
            self.chosen.emit(KeyChoice("key_file"))
        self._first.clear()
        self._second.clear()
        self.accept()


class UnlockDialog(QDialog):
    """Asks for the passphrase of a store that is there; a wrong one may be tried again.

    Signals:
        entered: (passphrase).
    """

    entered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Unlock your conversations"))
        self.setMinimumWidth(_WIDTH_PX)
        column = _column(self)
        column.addWidget(text_label(self.tr("Unlock your conversations"), "title"))
        column.addWidget(text_label(self.tr("They are encrypted with your passphrase."), wrap=True))
        self._field = _secret_field(self.tr("Passphrase"))
        self._field.textChanged.connect(self._look)
        column.addWidget(self._field)
        self._problem = text_label(role="danger", wrap=True)
        self._problem.hide()
        column.addWidget(self._problem)
        self._accept = QPushButton(self.tr("Unlock"))
        self._accept.clicked.connect(self._enter)
        later = QPushButton(self.tr("Not now"))
        later.clicked.connect(self.reject)
        column.addLayout(_button_row(later, self._accept))
        self._look()

    def show_wrong(self) -> None:
        """Say that the passphrase was not the right one and let the person try again."""
        self._set_busy(is_busy=False)
        self._problem.setText(
            self.tr("That is not the passphrase. Nothing was changed: try again.")
        )
        self._problem.show()
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with the cursor in the field."""
        super().showEvent(event)
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look(self) -> None:
        self._accept.setEnabled(bool(self._field.text()))

    def _enter(self) -> None:
        self._set_busy(is_busy=True)
        self._problem.hide()
        self.entered.emit(self._field.text())

    def _set_busy(self, *, is_busy: bool) -> None:
        self._field.setEnabled(not is_busy)
        self._accept.setEnabled(not is_busy)


def _column(dialog: QDialog) -> QVBoxLayout:
    column = QVBoxLayout(dialog)
    column.setContentsMargins(26, 22, 26, 20)
    column.setSpacing(10)
    return column


def _secret_field(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setEchoMode(QLineEdit.EchoMode.Password)
    field.setPlaceholderText(name)
    field.setAccessibleName(name)
    return field


def _indented(widget: QWidget) -> QWidget:
    widget.setContentsMargins(26, 0, 0, 0)
    return widget


def _button_row(later: QPushButton, accept: QPushButton) -> QHBoxLayout:
    """Return the row at a dialog's foot; Enter presses `accept`."""
    later.setAutoDefault(False)
    accept.setProperty("role", "primary")
    accept.setDefault(True)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(later)
    row.addWidget(accept)
    return row
