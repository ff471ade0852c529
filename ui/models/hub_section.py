"""Models of the hub that Snug knows of; the hub is asked only when a person wants one."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.messages import readable_bytes
from ui.labels import IconLabel, text_label
from ui.models.lookup import Address
from ui.models.model_card import catalog_text
from ui.models.section import Row, Section
from ui.models.shelf import HubOffer
from ui.models.words import ModelWords
from ui.theme import Theme


class HubSection(Section):
    """What each is good for, how fast and how large it is.

    Signals:
        wanted: (address: Address): ask the hub for this one.
    """

    wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("More models"), parent=parent)
        self._theme = theme
        self._words = ModelWords(self)
        self._shown: tuple[tuple[str, str, str], ...] = ()
        self._buttons: list[QPushButton] = []
        self._note = text_label(
            self.tr("From a public hub, which is asked when you press Get."), "muted"
        )
        self.head.insertWidget(1, self._note)

    def show_offers(self, offers: tuple[HubOffer, ...]) -> None:
        """Show what can be had; rows that would say the same are left, as laying out takes long."""
        said = tuple(self._said(offer) for offer in offers)
        if said == self._shown:
            return
        self._shown = said
        self._buttons = []
        self.set_rows([self._row(offer) for offer in offers])

    def set_busy(self, *, is_busy: bool) -> None:
        """Take no orders while the hub is being asked."""
        for button in self._buttons:
            button.setEnabled(not is_busy)

    def _said(self, offer: HubOffer) -> tuple[str, str, str]:
        return offer.entry.id, self._facts(offer), self._limit(offer)

    def _limit(self, offer: HubOffer) -> str:
        return "" if offer.fit.verdict == "fits" else self._words.fit(offer.fit)

    def _row(self, offer: HubOffer) -> Row:
        entry = offer.entry
        title = catalog_text(entry.title)
        row = Row(self._theme, "spark", title, self._facts(offer), color="muted")
        row.words += f" {entry.repository} {self._words.all_languages(entry.languages)}".lower()
        if entry.is_gated:
            badge = text_label(self.tr("Needs a token"), "badge")
            badge.setToolTip(self.tr("Its owner wants to know who fetches it."))
            row.head.addWidget(badge)
        row.head.addStretch(1)
        about = text_label(catalog_text(entry.about), wrap=True)
        row.words += f" {about.text()}".lower()
        row.middle.insertWidget(1, about)
        if limit := self._limit(offer):
            row.middle.addLayout(self._warning(limit))
        address = Address(entry.repository, folder=entry.folder)
        get = QPushButton(self.tr("Get…"))
        get.setProperty("role", "small")
        get.setAccessibleName(self.tr("Get {}…").format(title))
        get.clicked.connect(lambda: self.wanted.emit(address))
        row.buttons.addWidget(get)
        self._buttons.append(get)
        return row

    def _facts(self, offer: HubOffer) -> str:
        entry = offer.entry
        about = self.tr("about {}")
        facts = (
            self._words.named_quality(entry.quality),
            self._words.speed(offer.fit),
            about.format(readable_bytes(entry.about_bytes)),
            self._words.licence(entry.licence),
            self._words.languages(entry.languages),
        )
        return " · ".join(fact for fact in facts if fact)

    def _warning(self, text: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(7)
        row.addWidget(IconLabel(self._theme, "warning", color="warning", size_px=14))
        row.addWidget(text_label(text, "muted", wrap=True), 1)
        return row
