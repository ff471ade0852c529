"""The conversations, without their messages."""

from dataclasses import dataclass

from app.store.database import Database

_SELECT = "select id, title, created_s, updated_s, model_id, first_seen_id from conversations"


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as it is kept; times are seconds since 1970, UTC.

    Attributes:
        first_seen_id: The oldest message the model still sees, or empty while it sees all.
    """

    id: str
    title: str
    created_s: float
    updated_s: float
    model_id: str = ""
    first_seen_id: str = ""


class Conversations:
    """Adds, finds, changes and deletes conversations; deleting can be undone until `purge`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[ConversationRow, ...]:
        """Return those that are not deleted, the one used last first."""
        rows = self._database.rows(
            _SELECT + " where deleted_s is null order by updated_s desc, rowid desc"
        )
        return tuple(ConversationRow(*row) for row in rows)

    def get(self, conversation_id: str) -> ConversationRow | None:
        """Return one conversation, deleted or not, or None."""
        row = self._database.row(_SELECT + " where id = ?", (conversation_id,))
        return ConversationRow(*row) if row else None

    def add(self, row: ConversationRow) -> None:
        """Keep a new conversation."""
        self._database.run(
            "insert into conversations (id, title, created_s, updated_s, model_id, first_seen_id)"
            " values (?, ?, ?, ?, ?, ?)",
            (row.id, row.title, row.created_s, row.updated_s, row.model_id, row.first_seen_id),
        )

    def touch(self, conversation_id: str, *, updated_s: float, model_id: str) -> None:
        """Note that it was used now, and with which model; an empty id leaves the last one."""
        self._database.run(
            "update conversations set updated_s = ?,"
            " model_id = coalesce(nullif(?, ''), model_id) where id = ?",
            (updated_s, model_id, conversation_id),
        )

    def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title."""
        self._database.run(
            "update conversations set title = ? where id = ?", (title, conversation_id)
        )

    def set_first_seen(self, conversation_id: str, message_id: str) -> None:
        """Keep where the model's view of it begins."""
        self._database.run(
            "update conversations set first_seen_id = ? where id = ?",
            (message_id, conversation_id),
        )

    def delete(self, conversation_id: str, *, deleted_s: float) -> None:
        """Take it out of sight; `restore` brings it back."""
        self._database.run(
            "update conversations set deleted_s = ? where id = ? and deleted_s is null",
            (deleted_s, conversation_id),
        )

    def restore(self, conversation_id: str) -> None:
        """Undo `delete`."""
        self._database.run(
            "update conversations set deleted_s = null where id = ?", (conversation_id,)
        )

    def purge(self) -> int:
        """Remove what was deleted, messages and all, for good; return how many conversations."""
        return self._database.run("delete from conversations where deleted_s is not null")
