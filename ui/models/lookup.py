"""A typed name or address of a model on a hub, and the offer to ask the hub for it."""

import re
from typing import NamedTuple

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ui.labels import ElidedLabel, IconLabel, text_label
from ui.theme import Theme

_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_NAME = re.compile(rf"({_PART})/({_PART})")
_DECODED = QUrl.ComponentFormattingOption.FullyDecoded
_LEAST_PARTS = 2
_REVISION_AT = 3


class Address(NamedTuple):
    """A repository, the branch, tag or commit of it, and the folder that holds the model."""

    repository: str
    revision: str = "main"
    folder: str = ""


def address_of(text: str) -> Address | None:
    """Return what a person means by `owner/name` or an address of a hub's page, or None.

    The host is not taken over: only the hub or mirror that is set is ever asked.
    """
    text = text.strip()
    if _NAME.fullmatch(text):
        return Address(text)
    path = QUrl(text if "://" in text else f"https://{text}").path(_DECODED)
    host_is_there = "://" in text or "." in text.split("/", maxsplit=1)[0]
    parts = [part for part in path.split("/") if part]
    if not host_is_there or len(parts) < _LEAST_PARTS:
        return None
    repository = "/".join(parts[:_LEAST_PARTS])
    if not _NAME.fullmatch(repository):
        return None
    has_revision = len(parts) > _REVISION_AT and parts[2] in ("tree", "blob", "resolve")
    return Address(repository, parts[_REVISION_AT] if has_revision else "main")


class LookUpCard(QFrame):
    """Offers to ask the hub; nothing is asked before a person presses the button.

    Signals:
        wanted: (address: Address).
    """

    wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._address: Address | None = None
        self._is_asking = False
        self.setObjectName("card")
        self._name = ElidedLabel("title")
        self._about = text_label(role="muted", wrap=True)
        self._failure = text_label(role="danger", wrap=True)
        self._failure.hide()
        self._button = QPushButton(self.tr("Look up"))
        self._button.setProperty("role", "primary")
        self._button.clicked.connect(self.ask)
        column = QVBoxLayout()
        column.setSpacing(3)
        for label in (self._name, self._about, self._failure):
            column.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, "search", color="accent", size_px=20))
        row.addLayout(column, 1)
        row.addWidget(self._button)
        self.hide()

    @property
    def failure_text(self) -> str:
        """Why the last question came to nothing; empty otherwise."""
        return self._failure.text() if not self._failure.isHidden() else ""

    def offer(self, address: Address | None) -> None:
        """Offer to look `address` up; None takes the offer away."""
        if self._is_asking:
            return
        if address != self._address:
            self._failure.hide()
        self._address = address
        self.setVisible(address is not None)
        if address is None:
            return
        self._name.setText(address.repository)
        self._name.setToolTip(address.repository)
        self._button.setAccessibleName(self.tr("Look up {}").format(address.repository))
        self._say(self.tr("Asks the hub now what is there, and for nothing else."))

    def ask(self) -> None:
        """Look up what is offered."""
        if self._address is not None and not self._is_asking:
            self.wanted.emit(self._address)

    def show_asking(self, address: Address, *, is_asking: bool) -> None:
        """Say that the hub is being asked, or that it no longer is."""
        self._is_asking = False
        self.offer(address)
        self._is_asking = is_asking
        self._button.setEnabled(not is_asking)
        self._failure.hide()
        if is_asking:
            self._say(self.tr("Asking the hub…"))

    def show_failure(self, text: str) -> None:
        """Say why nothing came."""
        self._failure.setText(text)
        self._failure.show()

    def _say(self, text: str) -> None:
        self._about.setText(text)
