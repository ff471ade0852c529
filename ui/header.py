"""The line above the chat: its title, the model, and what can be done with the conversation."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from ui.buttons import IconButton
from ui.labels import ElidedLabel
from ui.theme import Theme

ANSWERS_KEYS = "Ctrl+,"
DOCUMENTS_KEYS = "Ctrl+Shift+D"


class Header(QWidget):
    """Title left, model picker and menu right; the sidebar's button while the sidebar is away.

    Signals:
        sidebar_requested: Show the sidebar.
        answers_requested: Show how the open conversation's answers are made.
        documents_requested: Show the documents beside the chat, or fold them away.
        rename_requested: Rename the open conversation.
        delete_requested: Delete the open conversation.
    """

    sidebar_requested = Signal()
    answers_requested = Signal()
    documents_requested = Signal()
    rename_requested = Signal()
    delete_requested = Signal()

    def __init__(self, theme: Theme, picker: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sidebar = IconButton(theme, "sidebar", self.tr("Show sidebar"))
        self._sidebar.clicked.connect(self.sidebar_requested)
        self._title = ElidedLabel("title")
        self._answers = IconButton(theme, "tune", self.tr("Answer settings"))
        self._answers.setToolTip(self.tr("Answer settings ({})").format(ANSWERS_KEYS))
        self._answers.clicked.connect(self.answers_requested)
        self._documents = IconButton(theme, "panel", self.tr("Documents"))
        self._documents.setToolTip(self.tr("Documents ({})").format(DOCUMENTS_KEYS))
        self._documents.clicked.connect(self.documents_requested)
        self._more = IconButton(theme, "more", self.tr("Conversation menu"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._more)
        self._rename = self._menu.addAction(self.tr("Rename"))
        self._rename.triggered.connect(self.rename_requested)
        self._delete = self._menu.addAction(self.tr("Delete"))
        self._delete.triggered.connect(self.delete_requested)
        self._more.setMenu(self._menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 10, 16, 10)
        row.setSpacing(8)
        row.addWidget(self._sidebar)
        row.addWidget(self._title, 1)
        row.addWidget(picker)
        row.addWidget(self._answers)
        row.addWidget(self._documents)
        row.addWidget(self._more)
        theme.changed.connect(self._tint)
        self._tint()
        self.show_title("")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_title(self, title: str, instead: str = "") -> None:
        """Show the open conversation's title; `instead` where there is none, and no menu."""
        self._title.setText(title or instead or self.tr("New chat"))
        self._title.setToolTip(title)
        self._more.setEnabled(bool(title))
        self._answers.setEnabled(not instead)
        self._documents.setEnabled(not instead)

    def show_sidebar_button(self, is_shown: bool) -> None:
        """Offer the sidebar while it is hidden."""
        self._sidebar.setVisible(is_shown)

    def _tint(self) -> None:
        self._rename.setIcon(self._theme.icon("rename", "muted"))
        self._delete.setIcon(self._theme.icon("trash", "muted"))
