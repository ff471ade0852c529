"""What stands on the page before the first question."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ui.labels import IconLabel, text_label
from ui.theme import Theme

_MARK_PX = 40
_WIDTH_PX = 520
_MOST_STRETCH = 1000
_LEAST_PX = 240


class EmptyState(QWidget):
    """A greeting in two sentences, and three ways to begin.

    Signals:
        suggested: Begin with this text.
        attach_requested: Choose a document.
    """

    suggested = Signal(str)
    attach_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = text_label(self.tr("What can I help with?"), "heading")
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        about = text_label(
            self.tr(
                "Ask a question, or drop a document to have it summarized. "
                "The model runs on this computer, and nothing you write leaves it."
            ),
            wrap=True,
        )
        about.setAlignment(Qt.AlignmentFlag.AlignCenter)
        about.setMaximumWidth(_WIDTH_PX)
        about_row = QHBoxLayout()
        about_row.addStretch(1)
        about_row.addWidget(about, _MOST_STRETCH)
        about_row.addStretch(1)
        mark = IconLabel(theme, "spark", color="accent", size_px=_MARK_PX)
        column = QVBoxLayout(self)
        column.setSpacing(14)
        column.addStretch(2)
        column.addWidget(mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(title)
        column.addLayout(about_row)
        column.addSpacing(4)
        column.addLayout(self._suggestions())
        column.addStretch(3)

    def minimumSizeHint(self) -> QSize:
        """Let a narrow window cut the row of suggestions."""
        return QSize(_LEAST_PX, _LEAST_PX)

    def _suggestions(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        summarize = QPushButton(self.tr("Summarize a document…"))
        summarize.clicked.connect(self.attach_requested)
        row.addWidget(summarize)
        for label, text in (
            (self.tr("Draft an email"), self.tr("Write a short, friendly email that ")),
            (self.tr("Explain something"), self.tr("Explain in simple words: ")),
        ):
            button = QPushButton(label)
            button.clicked.connect(lambda _=False, text=text: self.suggested.emit(text))
            row.addWidget(button)
        row.addStretch(1)
        return row
