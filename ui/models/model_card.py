"""One model of the catalog: what it is, what it is good for here, and one button to get it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.messages import readable_bytes
from ui.labels import IconLabel, text_label
from ui.models.shelf import Offer
from ui.models.words import ModelWords
from ui.theme import Theme

if TYPE_CHECKING:
    from app.models.fit import Fit


def catalog_text(text: str) -> str:
    """Return a text of the catalog in the window's language."""
    return QCoreApplication.translate("catalog", text)


class ModelCard(QFrame):
    """Shows an offer.

    Attributes:
        words: What a search looks through, in small letters.

    Signals:
        wanted: (entry_id).
    """

    wanted = Signal(str)

    def __init__(
        self,
        theme: Theme,
        offer: Offer,
        *,
        is_recommended: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        entry = offer.entry
        self.words = f"{catalog_text(entry.title)} {entry.name} {entry.licence}".lower()
        self.setObjectName("card")
        self.setProperty("recommended", is_recommended)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(text_label(catalog_text(entry.title), "title"))
        head.addStretch(1)
        if is_recommended:
            head.addWidget(text_label(self.tr("Recommended"), "badge"))
        column.addLayout(head)
        column.addWidget(text_label(entry.name, "muted"))
        column.addWidget(text_label(catalog_text(entry.about), wrap=True))
        column.addSpacing(4)
        column.addLayout(self._points(entry.good_for, "check", "ok"))
        column.addLayout(self._points(entry.not_for, "close", "muted"))
        column.addStretch(1)
        column.addLayout(self._fit_row(offer.fit))
        sizes = self.tr("{fetch} to fetch, {disk} on disk · {licence}").format(
            fetch=readable_bytes(entry.fetch_bytes),
            disk=readable_bytes(entry.disk_bytes),
            licence=entry.licence,
        )
        column.addWidget(text_label(sizes, "muted", wrap=True))
        self.button = QPushButton(self._button_text(offer))
        if is_recommended:
            self.button.setProperty("role", "primary")
        self.button.clicked.connect(lambda: self.wanted.emit(entry.id))
        column.addWidget(self.button)

    def _button_text(self, offer: Offer) -> str:
        entry = offer.entry
        left_bytes = max(0, entry.fetch_bytes - offer.fetched_bytes)
        text = self.tr("Go on with {title} ({size} left)")
        if not offer.fetched_bytes:
            text = self.tr("Get {title} ({size})")
        return text.format(title=catalog_text(entry.title), size=readable_bytes(left_bytes))

    def _points(self, texts: Sequence[str], icon: str, color: str) -> QVBoxLayout:
        rows = QVBoxLayout()
        rows.setSpacing(3)
        for text in texts:
            rows.addLayout(self._point(catalog_text(text), icon, color))
        return rows

    def _fit_row(self, fit: "Fit") -> QHBoxLayout:
        text = ModelWords(self).fit(fit)
        if fit.verdict == "fits":
            return self._point(text, "chip", "ok")
        return self._point(text, "warning", "warning")

    def _point(self, text: str, icon: str, color: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(7)
        row.addWidget(IconLabel(self._theme, icon, color=color, size_px=14))
        row.addWidget(text_label(text, wrap=True), 1)
        return row
