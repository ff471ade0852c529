"""Where models are downloaded from, and through what: for networks with a mirror or a proxy."""

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.settings import Settings
from ui.labels import text_label

_WIDTH_PX = 520
_SCHEMES = ("http", "https")


class DownloadsDialog(QDialog):
    """Two addresses, both of which may be empty.

    Signals:
        saved: (changes: dict): new values of `Settings`, by name.
        token_wanted: Enter a token for the hub.
        token_forgotten: Delete the token for the hub.
    """

    saved = Signal(dict)
    token_wanted = Signal()
    token_forgotten = Signal()

    def __init__(self, settings: Settings, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Downloads"))
        self.setMinimumWidth(_WIDTH_PX)
        self._mirror = _field(settings.hub_endpoint, self.tr("Address of the hub or mirror"))
        self._mirror.setPlaceholderText(self.tr("The public hub"))
        self._proxy = _field(settings.hub_proxy, self.tr("Address of the proxy"))
        self._proxy.setPlaceholderText(self.tr("As the system is set"))
        self._failure = text_label(role="danger", wrap=True)
        self._failure.hide()
        self._said = text_label(role="muted", wrap=True)
        self._lay_out()

    @property
    def failure_text(self) -> str:
        """What is wrong with what was typed; empty otherwise."""
        return self._failure.text() if not self._failure.isHidden() else ""

    def say(self, text: str) -> None:
        """Say what became of a token."""
        self._said.setText(text)

    def _save(self) -> None:
        mirror, proxy = self._mirror.text().strip().rstrip("/"), self._proxy.text().strip()
        for field, address in ((self._mirror, mirror), (self._proxy, proxy)):
            if address and not _is_address(address):
                text = self.tr("“{}” is no address: it must begin with https:// or http://.")
                self._failure.setText(text.format(address))
                self._failure.show()
                field.setFocus()
                return
        self.saved.emit({"hub_endpoint": mirror, "hub_proxy": proxy})
        self.accept()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(26, 20, 26, 18)
        column.setSpacing(6)
        column.addWidget(text_label(self.tr("Downloads"), "title"))
        about = self.tr(
            "Snug goes online only when you ask for a model. The certificates are those that this"
            " system trusts."
        )
        column.addWidget(text_label(about, "muted", wrap=True))
        column.addSpacing(8)
        column.addWidget(text_label(self.tr("Hub or mirror")))
        mirror = self.tr("In a closed network: the address of the mirror. No other host is asked.")
        column.addWidget(text_label(mirror, "muted", wrap=True))
        column.addWidget(self._mirror)
        column.addSpacing(8)
        column.addWidget(text_label(self.tr("Proxy")))
        proxy = self.tr("Leave it empty to use the one that the system is set to.")
        column.addWidget(text_label(proxy, "muted", wrap=True))
        column.addWidget(self._proxy)
        column.addSpacing(8)
        column.addLayout(self._build_tokens())
        column.addWidget(self._said)
        column.addWidget(self._failure)
        column.addSpacing(10)
        column.addStretch(1)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        save = QPushButton(self.tr("Save"))
        save.setProperty("role", "primary")
        save.setDefault(True)
        save.clicked.connect(self._save)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(save)
        column.addLayout(foot)

    def _build_tokens(self) -> QVBoxLayout:
        enter = QPushButton(self.tr("Enter a token…"))
        enter.setAutoDefault(False)
        enter.clicked.connect(self.token_wanted)
        forget = QPushButton(self.tr("Forget the token"))
        forget.setAutoDefault(False)
        forget.clicked.connect(self.token_forgotten)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(enter)
        row.addWidget(forget)
        row.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(text_label(self.tr("Access token")))
        where = self.tr("For models whose owners want to know who fetches them.")
        column.addWidget(text_label(where, "muted", wrap=True))
        column.addLayout(row)
        return column


def _field(text: str, name: str) -> QLineEdit:
    field = QLineEdit(text)
    field.setAccessibleName(name)
    field.setClearButtonEnabled(True)
    return field


def _is_address(text: str) -> bool:
    address = QUrl(text, QUrl.ParsingMode.StrictMode)
    return address.isValid() and address.scheme() in _SCHEMES and bool(address.host())
