"""What an answer rests on, below it: names and places, or the passages themselves as quotes."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.documents.places import in_words
from app.documents.values import Citation
from ui.buttons import ElidedButton
from ui.markdown import marks
from ui.markdown.cleaning import clean
from ui.notices import translate_place
from ui.theme import Theme

_GAP_PX = 6


class Sources(QWidget):
    """One line a source, or one card where the passages are the answer.

    Signals:
        activated: Show this source; its `Citation`.
    """

    activated = Signal(object)

    def __init__(
        self,
        theme: Theme,
        citations: Sequence[Citation],
        *,
        quotes: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.citations = tuple(citations)
        self.quotes = quotes
        self.setAccessibleName(self.tr("Passages") if quotes else self.tr("Sources"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(_GAP_PX if quotes else 0)
        for citation in self.citations:
            widget = self._card(citation) if quotes else self._button(citation)
            self._column.addWidget(widget)

    def height_for(self, width_px: int) -> int:
        """Return the height that all of them need."""
        height_px = self._column.heightForWidth(width_px)
        return max(height_px, self._column.minimumSize().height())

    def _button(self, citation: Citation) -> ElidedButton:
        place = in_words(citation.place, translate_place)
        button = ElidedButton("source")
        button.setText(
            self.tr("[{}]  {} · {}").format(citation.number, clean(citation.name), place)
        )
        said = self.tr("Source {}: {}, {}; show the page")
        button.setAccessibleName(said.format(citation.number, citation.name, place))
        button.setToolTip(clean(citation.passage))
        button.clicked.connect(lambda: self.activated.emit(citation))
        return button

    def _card(self, citation: Citation) -> QFrame:
        card = QFrame()
        card.setObjectName("quote")
        passage = QLabel(
            marks.emphasized(clean(citation.passage), [clean(each) for each in citation.marked])
        )
        passage.setTextFormat(Qt.TextFormat.RichText)
        passage.setWordWrap(True)
        passage.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        passage.setAccessibleName(self.tr("Quoted passage"))
        column = QVBoxLayout(card)
        column.setContentsMargins(14, 10, 12, 8)
        column.setSpacing(4)
        column.addWidget(passage)
        column.addWidget(self._button(citation))
        return card
