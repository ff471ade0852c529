"""The page on which models are chosen: the first thing a person sees, and later one menu away."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.messages import describe
from ui.labels import IconLabel, text_label
from ui.models.add_progress import AddProgress
from ui.models.model_card import ModelCard
from ui.models.shelf import ModelShelves, Shelf
from ui.notices import translate_message
from ui.theme import Theme

_COLUMN_PX = 780
_SIDE_BY_SIDE_PX = 680


class ModelsPage(QScrollArea):
    """Explains, offers, fetches on demand; one model is added at a time.

    Signals:
        model_added: (model_id).
        left: The person wants back to the chat.
        fetching: (is_fetching: bool): whether bytes come over the network now.
    """

    model_added = Signal(str)
    left = Signal()
    fetching = Signal(bool)

    def __init__(self, models: ModelShelves, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._theme = theme
        self._last_source: str | Sequence[Path] = ""
        self._cards: list[ModelCard] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Models"))
        self.setWidget(self._build())
        self.show_shelf(Shelf())

    @property
    def is_adding(self) -> bool:
        """True while a model is being added."""
        return self._progress.is_running

    def show_shelf(self, shelf: Shelf) -> None:
        """Offer what is not here; without any model the page welcomes."""
        is_first = not shelf.installed
        self._heading.setText(self.tr("Welcome to Snug") if is_first else self.tr("Models"))
        self._back.setVisible(not is_first)
        for card in self._cards:
            self._row.removeWidget(card)
            card.deleteLater()
        self._cards = [
            ModelCard(self._theme, offer, is_recommended=offer is shelf.recommended)
            for offer in shelf.offers
        ]
        for card in self._cards:
            card.wanted.connect(self.add)
            self._row.addWidget(card, 1)
        self._set_busy(is_busy=self.is_adding)

    def add(self, source: str | Sequence[Path]) -> None:
        """Begin to add a catalog entry or files, unless a model is already being added."""
        if self.is_adding:
            return
        self._last_source = source
        self._failure.hide()
        self._progress.show()
        self._set_busy(is_busy=True)
        self._progress.follow(self._models.add(source))
        self.ensureWidgetVisible(self._progress)

    def choose_file(self) -> None:
        """Ask for a model file, or for the wheels that hold one."""
        title = self.tr("Add a model")
        kinds = self.tr("Models (*.gguf *.whl)")
        dialog = QFileDialog(self, title, "", kinds)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.add([Path(name) for name in names]))
        dialog.open()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards side by side where there is room."""
        super().resizeEvent(event)
        is_wide = self.viewport().width() >= _SIDE_BY_SIDE_PX
        sideways, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._row.setDirection(sideways if is_wide else down)

    def _build(self) -> QWidget:
        page = QWidget()
        page.setObjectName("page")
        content = QWidget()
        content.setMaximumWidth(_COLUMN_PX)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 32, 0, 32)
        column.setSpacing(14)
        column.addWidget(IconLabel(self._theme, "spark", color="accent", size_px=40))
        self._heading = text_label(role="heading")
        column.addWidget(self._heading)
        explanation = self.tr(
            "Snug answers with a language model that runs on this computer, so nothing you type"
            " or drop leaves it. Choose a model: it is fetched once, only now, and works offline"
            " from then on."
        )
        column.addWidget(text_label(explanation, wrap=True))
        column.addWidget(self._build_state())
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(16)
        column.addLayout(self._row)
        column.addLayout(self._build_foot())
        column.addStretch(1)
        outer = QHBoxLayout(page)
        outer.setContentsMargins(24, 0, 24, 0)
        outer.addStretch(1)
        outer.addWidget(content, 20)
        outer.addStretch(1)
        return page

    def _build_state(self) -> QWidget:
        self._progress = AddProgress()
        self._progress.done.connect(self._on_done)
        self._progress.failed.connect(self._on_failed)
        self._progress.cancelled.connect(self._on_cancelled)
        self._progress.fetching.connect(self.fetching)
        self._progress.hide()
        self._failure = QFrame()
        self._failure.setObjectName("notice")
        self._failure.setProperty("kind", "error")
        self._failure_text = text_label(wrap=True)
        again = QPushButton(self.tr("Try again"))
        again.clicked.connect(lambda: self.add(self._last_source))
        row = QHBoxLayout(self._failure)
        row.setContentsMargins(14, 8, 10, 8)
        row.addWidget(self._failure_text, 1)
        row.addWidget(again)
        self._failure.hide()
        state = QWidget()
        column = QVBoxLayout(state)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._progress)
        column.addWidget(self._failure)
        return state

    def _build_foot(self) -> QHBoxLayout:
        self._file = QPushButton(self.tr("Add a file…"))
        self._file.clicked.connect(self.choose_file)
        hint = self.tr("A .gguf file you already have, or .whl files; you can also drop them here.")
        self._back = QPushButton(self.tr("Back to the chat"))
        self._back.clicked.connect(self.left)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._file)
        row.addWidget(text_label(hint, "muted", wrap=True), 1)
        row.addWidget(self._back)
        return row

    def _set_busy(self, *, is_busy: bool) -> None:
        for card in self._cards:
            card.button.setEnabled(not is_busy)
        self._file.setEnabled(not is_busy)

    def _on_done(self, model_id: str) -> None:
        self._progress.hide()
        self._set_busy(is_busy=False)
        self.model_added.emit(model_id)

    def _on_failed(self, error: Exception) -> None:
        self._progress.hide()
        self._set_busy(is_busy=False)
        notice = describe(error, translate_message)
        self._failure_text.setText(f"{notice.message} {notice.action}")
        self._failure.show()

    def _on_cancelled(self) -> None:
        self._progress.hide()
        self._set_busy(is_busy=False)
