"""Asks before a link of an answer is opened, and shows where it leads."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QVBoxLayout, QWidget

from ui.labels import text_label
from ui.markdown.cleaning import clean

_WIDTH_PX = 460


def _open_url(url: str) -> None:
    QDesktopServices.openUrl(QUrl(url))


class LinkDialog(QDialog):
    """Shows the whole target of a link; not opening it is what Enter does."""

    def __init__(
        self,
        url: str,
        parent: QWidget | None = None,
        *,
        open_url: Callable[[str], None] = _open_url,
    ) -> None:
        super().__init__(parent)
        self._url = url
        self._open_url = open_url
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Open this link?"))
        self.setMinimumWidth(_WIDTH_PX)
        about = text_label(
            self.tr("The model wrote this link. It opens in your browser, outside Snug:"), wrap=True
        )
        # A long address has no spaces to break at.
        target = text_label("\u200b".join(clean(url)), wrap=True)
        target.setAccessibleName(url)
        target.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox()
        self.open_button = QPushButton(self.tr("Open"))
        copy = QPushButton(self.tr("Copy link"))
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.open_button, QDialogButtonBox.ButtonRole.AcceptRole)
        cancel.setDefault(True)
        copy.clicked.connect(self._copy)
        buttons.accepted.connect(self._open)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        for widget in (about, target, buttons):
            column.addWidget(widget)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.reject()

    def _open(self) -> None:
        self._open_url(self._url)
        self.accept()
