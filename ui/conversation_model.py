"""The rows of the sidebar: conversations under their dates, or what a search found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.chat.values import Conversation, SearchHit
from ui.date_groups import Calendar, DateGroup

AnyIndex = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    """What the delegate asks for beside the text."""

    IS_HEADING = Qt.ItemDataRole.UserRole
    CONVERSATION_ID = Qt.ItemDataRole.UserRole + 1
    EXCERPT = Qt.ItemDataRole.UserRole + 2
    MESSAGE_ID = Qt.ItemDataRole.UserRole + 3


@dataclass(frozen=True, slots=True)
class Row:
    """One row; a heading has no conversation, only search results have an excerpt."""

    text: str
    conversation_id: str = ""
    message_id: str = ""
    excerpt: tuple[str, str, str] | None = None

    @property
    def is_heading(self) -> bool:
        """True for a date or the count of results, which cannot be chosen."""
        return not self.conversation_id


_READERS: Mapping[int, Callable[[Row], Any]] = {
    Qt.ItemDataRole.DisplayRole: lambda row: row.text,
    Qt.ItemDataRole.EditRole: lambda row: row.text,
    Qt.ItemDataRole.ToolTipRole: lambda row: None if row.is_heading else row.text,
    Role.IS_HEADING: lambda row: row.is_heading,
    Role.CONVERSATION_ID: lambda row: row.conversation_id,
    Role.MESSAGE_ID: lambda row: row.message_id,
    Role.EXCERPT: lambda row: row.excerpt,
}


class ConversationModel(QAbstractListModel):
    """A flat list of headings and rows.

    Signals:
        renamed: (conversation_id, title): a person typed a new title; not yet stored.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def show_conversations(self, conversations: Sequence[Conversation], now_s: float) -> None:
        """Show `conversations`, which come newest first, under headings as seen from `now_s`."""
        rows: list[Row] = []
        last: DateGroup | None = None
        calendar = Calendar(now_s)
        for conversation in conversations:
            group = calendar.group_of(conversation.updated_s)
            if group is not last and group != last:
                rows.append(Row(self._heading(group)))
                last = group
            title = conversation.title or self.tr("New chat")
            rows.append(Row(title, conversation.id))
        self._replace(rows)

    def show_hits(self, hits: Sequence[SearchHit]) -> None:
        """Show what a search found, best first."""
        count = self.tr("Found: {}").format(QLocale().toString(len(hits)))
        rows = [Row(count if hits else self.tr("Nothing found"))]
        for hit in hits:
            title = hit.title or self.tr("New chat")
            excerpt = (hit.before, hit.match, hit.after)
            rows.append(Row(title, hit.conversation_id, hit.message_id, excerpt))
        self._replace(rows)

    def index_of(self, conversation_id: str) -> QModelIndex:
        """Return the first row of a conversation, or an invalid index."""
        for number, row in enumerate(self._rows):
            if conversation_id and row.conversation_id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def take(self, conversation_id: str) -> None:
        """Let a conversation's rows go, and a heading that has none left."""
        kept = [row for row in self._rows if row.conversation_id != conversation_id]
        following = [*kept[1:], Row("")]
        self._replace(
            [
                row
                for row, after in zip(kept, following, strict=True)
                if not (row.is_heading and after.is_heading)
            ]
        )

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many rows there are; none below a row."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what `role` asks of a row."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        read = _READERS.get(role)
        return read(self._rows[index.row()]) if read else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let conversations be chosen and renamed, headings neither."""
        if not index.isValid() or self._rows[index.row()].is_heading:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self._rows[index.row()].excerpt is None:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a new title; an empty one is no title and changes nothing."""
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not title:
            return False
        row = self._rows[index.row()]
        if row.is_heading or title == row.text:
            return False
        self._rows[index.row()] = Row(title, row.conversation_id)
        self.dataChanged.emit(index, index)
        self.renamed.emit(row.conversation_id, title)
        return True

    def _heading(self, group: DateGroup) -> str:
        match group.kind:
            case "today":
                return self.tr("Today")
            case "yesterday":
                return self.tr("Yesterday")
            case "week":
                return self.tr("Previous 7 days")
            case "month":
                return self.tr("Previous 30 days")
            case "older":
                month = QLocale().standaloneMonthName(group.month)
                return self.tr("{month} {year}").format(month=month, year=group.year)

    def _replace(self, rows: list[Row]) -> None:
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()
