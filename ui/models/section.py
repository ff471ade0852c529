"""A part of the models page: a heading and rows, of which a search leaves those that match."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ui.labels import ElidedLabel, IconLabel, text_label
from ui.theme import Theme


class Row(QFrame):
    """One model: an icon, what it is, and what can be done with it.

    Attributes:
        words: What a search looks through, in small letters.
    """

    def __init__(
        self,
        theme: Theme,
        icon: str,
        title: str,
        facts: str,
        *,
        color: str = "accent",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("document_card")
        self.setAccessibleName(title)
        self.words = f"{title} {facts}".lower()
        name = ElidedLabel("title")
        name.setText(title)
        name.setToolTip(title)
        self._facts = text_label("", "muted", wrap=True)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.head.addWidget(name)
        self.middle = QVBoxLayout()
        self.middle.setSpacing(3)
        self.middle.addLayout(self.head)
        self.middle.addWidget(self._facts)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(6)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, icon, color=color, size_px=20))
        row.addLayout(self.middle, 1)
        row.addLayout(self.buttons)
        self.set_facts(facts)

    @property
    def facts_text(self) -> str:
        """What stands below the title."""
        return self._facts.text()

    def set_facts(self, text: str) -> None:
        """Say something else below the title."""
        self._facts.setText(text)
        self._facts.setVisible(bool(text))


class Section(QWidget):
    """A heading with rows below it; without rows it is not there, unless it keeps itself."""

    def __init__(self, title: str, *, stays: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stays = stays
        self._rows: tuple[Row, ...] = ()
        self._search = ""
        self.setAccessibleName(title)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.head.addWidget(text_label(title, "section"))
        self.head.addStretch(1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 10, 0, 0)
        self.column.setSpacing(8)
        self.column.addLayout(self.head)
        self.list = QVBoxLayout()
        self.list.setSpacing(8)
        self.column.addLayout(self.list)
        # Shown by whoever lays it out: a widget without a parent would be a window of its own.
        if not stays:
            self.hide()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, whether the search leaves them or not."""
        return self._rows

    @property
    def shown_rows(self) -> tuple[Row, ...]:
        """The rows that the search leaves."""
        return tuple(row for row in self._rows if not row.isHidden())

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows instead of those before."""
        for row in self._rows:
            self.list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = tuple(rows)
        for row in rows:
            self.list.addWidget(row)
        self.search(self._search)

    def search(self, text: str) -> bool:
        """Leave the rows in which every word of `text` occurs; return whether there are any."""
        self._search = text
        words = text.lower().split()
        for row in self._rows:
            row.setVisible(all(word in row.words for word in words))
        has_any = bool(self.shown_rows)
        self.setVisible(has_any or (self._stays and not words))
        return has_any
