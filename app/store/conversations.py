"""The conversations, without their messages."""

from dataclasses import astuple, dataclass

from app.store.database import Database

_COLUMNS = "id, title, created_s, updated_s, model_id, first_seen_id, settings"
_SELECT = f"select {_COLUMNS} from conversations"  # noqa: S608 - our own words
_INSERT = f"insert into conversations ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as it is kept; times are seconds since 1970, UTC.

    Attributes:
        first_seen_id: The oldest message the model still sees, or empty while it sees all.
        settings: How its answers are made, as JSON.
    """

    id: str
    title: str
    created_s: float
    updated_s: float
    model_id: str = ""
    first_seen_id: str = ""
    settings: str = "{}"


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
        self._database.run(_INSERT, astuple(row))

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

    def set_settings(self, conversation_id: str, settings: str) -> None:
        """Keep how its answers are made."""
        self._database.run(
            "update conversations set settings = ? where id = ?", (settings, conversation_id)
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
