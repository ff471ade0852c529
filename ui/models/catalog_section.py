"""Snug's own models: one card each, and one of them recommended."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from ui.models.model_card import ModelCard
from ui.models.section import Section
from ui.models.shelf import Offer, Shelf
from ui.theme import Theme


class CatalogSection(Section):
    """The cards of what is not here yet.

    Signals:
        wanted: (entry_id).
    """

    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Can be added"), parent=parent)
        self._theme = theme
        self._offers: tuple[Offer, ...] = ()
        self._cards: dict[str, ModelCard] = {}
        self._busy: frozenset[str] = frozenset()
        self.cards = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.cards.setSpacing(16)
        self.column.addLayout(self.cards)

    def show_offers(self, shelf: Shelf) -> None:
        """Show the catalog's models that are not here."""
        if shelf.offers != self._offers:
            self._offers = shelf.offers
            self._fill(shelf)
        self.search("")

    def set_busy(self, model_ids: frozenset[str]) -> None:
        """Take no orders for what is being added."""
        self._busy = model_ids
        for model_id, card in self._cards.items():
            card.button.setEnabled(model_id not in model_ids)

    def search(self, text: str) -> bool:
        """Leave the cards in which every word of `text` occurs."""
        words = text.lower().split()
        for card in self._cards.values():
            card.setVisible(all(word in card.words for word in words))
        has_any = any(not card.isHidden() for card in self._cards.values())
        self.setVisible(has_any)
        return has_any

    def _fill(self, shelf: Shelf) -> None:
        for card in self._cards.values():
            self.cards.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards = {}
        for offer in shelf.offers:
            card = ModelCard(self._theme, offer, is_recommended=offer is shelf.recommended)
            card.wanted.connect(self.wanted)
            self._cards[offer.entry.id] = card
            self.cards.addWidget(card, 1)
        self.set_busy(self._busy)
