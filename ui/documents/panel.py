"""The panel beside the chat: the conversation's documents, and the one that is looked at."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui.buttons import IconButton
from ui.documents.card import DocumentCard
from ui.documents.shown import ShownDocument
from ui.documents.viewer import DocumentViewer
from ui.labels import text_label
from ui.theme import Theme

LEAST_PX = 300


class DocumentsPanel(QWidget):
    """A list of documents, or one of them; GUI thread only.

    Signals:
        open_requested: (key): show a document's pages.
        ask_requested: (key): ask about a document.
        summarize_requested: (keys: tuple): summarize these together.
        options_requested: (button): choose how summaries are made.
        folder_requested: (key): show a document where its file lies.
        remove_requested: (key): take a document out of the draft.
        attach_requested: Choose files.
        library_requested: Show the library.
        closed: Fold the panel away.
    """

    open_requested = Signal(str)
    ask_requested = Signal(str)
    summarize_requested = Signal(tuple)
    options_requested = Signal(object)
    folder_requested = Signal(str)
    remove_requested = Signal(str)
    attach_requested = Signal()
    library_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("documents")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Documents"))
        self.setMinimumWidth(LEAST_PX)
        self._theme = theme
        self._cards: dict[str, DocumentCard] = {}
        self.viewer = DocumentViewer(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_list())
        self._stack.addWidget(self.viewer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.viewer.left.connect(self.show_list)
        self.show_documents(())

    @property
    def is_viewing(self) -> bool:
        """Whether a document's pages are shown and not the list."""
        return self._stack.currentWidget() is self.viewer

    @property
    def cards(self) -> tuple[DocumentCard, ...]:
        """The rows of the list."""
        return tuple(self._cards.values())

    def card(self, key: str) -> DocumentCard:
        """Return the row of a document."""
        return self._cards[key]

    def show_documents(self, documents: Sequence[ShownDocument]) -> None:
        """List these; a row that is there already keeps what is unfolded in it."""
        keys = [document.key for document in documents]
        for key in [key for key in self._cards if key not in keys]:
            card = self._cards.pop(key)
            card.hide()
            card.deleteLater()
        for at, document in enumerate(documents):
            card = self._cards.get(document.key) or self._add(document)
            if card.document != document:
                card.show_document(document)
            if self._list.indexOf(card) != at:
                self._list.insertWidget(at, card)
        ready = self._ready()
        self._empty.setVisible(not documents)
        self._all.setVisible(len(ready) > 1)
        self._all.setText(self.tr("Summarize all %Ln document(s) together", "", len(ready)))

    def offer_library(self) -> None:
        """Offer the library, where there is one."""
        self._library.show()

    def offer_summaries(self, is_offered: bool) -> None:
        """Let summaries be asked for, or not while one is being made."""
        self._all.setEnabled(is_offered)
        for card in self._cards.values():
            card.offer_summary(is_offered)

    def show_viewer(self) -> None:
        """Show the viewer."""
        self._stack.setCurrentWidget(self.viewer)

    def show_list(self) -> None:
        """Show the list, and end what draws pages."""
        was_viewing = self.is_viewing
        self._stack.setCurrentIndex(0)
        self.viewer.close_document()
        if was_viewing:
            self.take_focus()

    def take_focus(self) -> None:
        """Let the keys go to what is shown."""
        if self.is_viewing:
            self.viewer.focus_pages()
            return
        first = next(iter(self._cards.values()), None)
        target = first.first_button() if first is not None else self._attach
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _add(self, document: ShownDocument) -> DocumentCard:
        card = DocumentCard(self._theme, document)
        key = document.key
        card.open_requested.connect(lambda: self.open_requested.emit(key))
        card.ask_requested.connect(lambda: self.ask_requested.emit(key))
        card.summarize_requested.connect(lambda: self.summarize_requested.emit((key,)))
        card.options_requested.connect(self.options_requested)
        card.folder_requested.connect(lambda: self.folder_requested.emit(key))
        card.remove_requested.connect(lambda: self.remove_requested.emit(key))
        self._cards[key] = card
        return card

    def _ready(self) -> tuple[str, ...]:
        cards = self._cards.items()
        return tuple(key for key, card in cards if card.document.state == "ready")

    def _build_list(self) -> QWidget:
        title = text_label(self.tr("Documents"), "title")
        self._attach = IconButton(self._theme, "plus", self.tr("Add documents"))
        self._attach.clicked.connect(self.attach_requested)
        self._library = IconButton(self._theme, "library", self.tr("Library"))
        self._library.clicked.connect(self.library_requested)
        self._library.hide()
        close = IconButton(self._theme, "close", self.tr("Close the documents"), size_px=16)
        close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 10, 6)
        head.setSpacing(4)
        head.addWidget(title, 1)
        for button in (self._attach, self._library, close):
            head.addWidget(button)
        self._empty = text_label(
            self.tr(
                "No documents in this conversation yet. Drop files anywhere in the window, or add"
                " them here: PDF, Word, Excel, PowerPoint, mail, pictures, archives and folders."
            ),
            "muted",
            wrap=True,
        )
        self._all = QPushButton()
        self._all.setProperty("role", "small")
        self._all.clicked.connect(lambda: self.summarize_requested.emit(self._ready()))
        content = QWidget()
        content.setObjectName("document_list")
        outer = QVBoxLayout(content)
        outer.setContentsMargins(12, 0, 12, 12)
        outer.setSpacing(8)
        outer.addWidget(self._empty)
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        outer.addLayout(self._list)
        outer.addWidget(self._all)
        outer.addStretch(1)
        area = QScrollArea()
        area.setObjectName("document_area")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(area, 1)
        return page

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Esc: from a document to the list, from the list to the chat."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.is_viewing:
            self.show_list()
        else:
            self.closed.emit()
