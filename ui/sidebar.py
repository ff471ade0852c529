"""The left side: a new chat, a search, and every conversation there is."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.values import Conversation, SearchHit
from ui.buttons import IconButton
from ui.conversation_delegate import ConversationDelegate
from ui.conversation_model import ConversationModel, Role
from ui.labels import ElidedLabel, IconLabel, text_label
from ui.theme import Theme

KeyKind = Literal["keyring", "passphrase", "key_file"]

WIDTH_PX = 272
_SEARCH_DELAY_MS = 150


class Sidebar(QWidget):
    """Shows the conversations and says what a person wants done; it changes nothing itself.

    Signals:
        new_chat_requested: No arguments.
        conversation_chosen: (conversation_id, message_id); message_id is empty but for a result.
        search_changed: (query); empty when the search is over.
        renamed: (conversation_id, title).
        delete_requested: (conversation_id, title).
        hide_requested: No arguments.
        settings_requested: (global position for a menu: QPoint).
    """

    new_chat_requested = Signal()
    conversation_chosen = Signal(str, str)
    search_changed = Signal(str)
    renamed = Signal(str, str)
    delete_requested = Signal(str, str)
    hide_requested = Signal()
    settings_requested = Signal(QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH_PX)
        self.model = ConversationModel(self)
        self.model.renamed.connect(self.renamed)
        self._open_id = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 10, 10)
        column.setSpacing(10)
        column.addLayout(self._build_head())
        column.addWidget(self._build_new_chat())
        column.addWidget(self._build_search())
        column.addWidget(self._build_list(), 1)
        column.addLayout(self._build_foot())
        theme.changed.connect(self._refresh_icons)
        self.show_key_kind(None)

    def show_conversations(self, conversations: Sequence[Conversation], now_s: float) -> None:
        """Show all conversations; the open one stays marked."""
        self._list.setUniformItemSizes(True)
        self.model.show_conversations(conversations, now_s)
        self._mark_open()

    def show_hits(self, hits: Sequence[SearchHit]) -> None:
        """Show what a search found."""
        self._list.setUniformItemSizes(False)
        self.model.show_hits(hits)

    def set_open(self, conversation_id: str) -> None:
        """Mark the conversation that the page shows; empty for a new chat."""
        self._open_id = conversation_id
        self._mark_open()

    def show_key_kind(self, kind: KeyKind | None) -> None:
        """Say at the foot how the conversations are kept; None while that is not known yet."""
        texts = {
            "keyring": self.tr("Key: in the system's key store"),
            "passphrase": self.tr("Key: your passphrase"),
            "key_file": self.tr("Key: in a file on this device"),
        }
        self._key.setText(texts[kind] if kind else "")
        self._key.setVisible(kind is not None)

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def clear_search(self) -> None:
        """Show all conversations again."""
        self._search.clear()

    def _build_head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel(self._theme, "spark", color="accent", size_px=22))
        brand = text_label(self.tr("Snug"))
        brand.setObjectName("brand")
        row.addWidget(brand)
        row.addStretch(1)
        hide = IconButton(self._theme, "sidebar", self.tr("Hide sidebar"))
        hide.clicked.connect(self.hide_requested)
        row.addWidget(hide)
        return row

    def _build_new_chat(self) -> QPushButton:
        self._new_chat = QPushButton(self.tr("New chat"))
        self._new_chat.setObjectName("new_chat")
        self._new_chat.setProperty("role", "primary")
        self._new_chat.setIcon(self._theme.icon("plus", "accent_text", 18))
        self._new_chat.setCursor(Qt.CursorShape.PointingHandCursor)
        self._new_chat.clicked.connect(self.new_chat_requested)
        return self._new_chat

    def _build_search(self) -> QLineEdit:
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._search.setPlaceholderText(self.tr("Search conversations"))
        self._search.setAccessibleName(self.tr("Search conversations"))
        self._search.setClearButtonEnabled(True)
        icon = self._theme.icon("search", "muted", 16)
        self._search_icon = self._search.addAction(icon, QLineEdit.ActionPosition.LeadingPosition)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_SEARCH_DELAY_MS)
        self._pause.timeout.connect(self._search_now)
        self._search.textChanged.connect(lambda _: self._pause.start())
        self._search.returnPressed.connect(self._choose_first)
        return self._search

    def _build_list(self) -> QListView:
        self._list = _ConversationList()
        self._list.setModel(self.model)
        self._list.setItemDelegate(ConversationDelegate(self._theme, self._list))
        self._list.setAccessibleName(self.tr("Conversations"))
        self._list.clicked.connect(self._choose)
        self._list.activated.connect(self._choose)
        self._list.customContextMenuRequested.connect(self._show_menu)
        self._list.delete_pressed.connect(self._delete)
        return self._list

    def _build_foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(IconLabel(self._theme, "lock", color="ok"))
        self._key = ElidedLabel("muted")
        lines = QVBoxLayout()
        lines.setSpacing(1)
        lines.addWidget(text_label(self.tr("Encrypted on this device"), "muted"))
        lines.addWidget(self._key)
        row.addLayout(lines, 1)
        settings = IconButton(self._theme, "settings", self.tr("Settings"))
        settings.clicked.connect(
            lambda: self.settings_requested.emit(settings.mapToGlobal(QPoint(0, 0)))
        )
        row.addWidget(settings)
        return row

    def _refresh_icons(self) -> None:
        self._new_chat.setIcon(self._theme.icon("plus", "accent_text", 18))
        self._search_icon.setIcon(self._theme.icon("search", "muted", 16))
        self._list.viewport().update()

    def _mark_open(self) -> None:
        index = self.model.index_of(self._open_id)
        if index.isValid():
            self._list.setCurrentIndex(index)
        else:
            self._list.setCurrentIndex(QModelIndex())
            self._list.clearSelection()

    def _search_now(self) -> None:
        self.search_changed.emit(self._search.text().strip())

    def _choose_first(self) -> None:
        for row in range(self.model.rowCount()):
            index = self.model.index(row)
            if not index.data(Role.IS_HEADING):
                self._choose(index)
                return

    def _choose(self, index: QModelIndex) -> None:
        conversation_id = index.data(Role.CONVERSATION_ID)
        if conversation_id:
            self.conversation_chosen.emit(conversation_id, index.data(Role.MESSAGE_ID))

    def _show_menu(self, position: QPoint) -> None:
        index = self._list.indexAt(position)
        if not index.data(Role.CONVERSATION_ID):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            rename = QAction(self._theme.icon("rename", "muted"), self.tr("Rename"), menu)
            rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
            rename.triggered.connect(lambda: self._list.edit(index))
            menu.addAction(rename)
        delete = QAction(self._theme.icon("trash", "muted"), self.tr("Delete"), menu)
        delete.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        delete.triggered.connect(lambda: self._delete(index))
        menu.addAction(delete)
        menu.popup(self._list.viewport().mapToGlobal(position))

    def _delete(self, index: QModelIndex) -> None:
        conversation_id = index.data(Role.CONVERSATION_ID)
        if conversation_id:
            self.delete_requested.emit(conversation_id, index.data())


class _ConversationList(QListView):
    """The list with its keys: Enter opens, F2 renames, Delete deletes.

    Signals:
        delete_pressed: (index: QModelIndex).
    """

    delete_pressed = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("conversations")
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Add the Delete key and Enter to what a list knows."""
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Delete and index.isValid():
            self.delete_pressed.emit(index)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.activated.emit(index)
        else:
            super().keyPressEvent(event)
