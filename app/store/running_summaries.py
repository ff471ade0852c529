"""What the earlier part of a conversation was about, for a model that can no longer see it."""

from dataclasses import dataclass

from app.store.database import Database


@dataclass(frozen=True, slots=True)
class RunningSummaryRow:
    """A summary of what a conversation holds before the message `before_id`."""

    before_id: str
    text: str


class RunningSummaries:
    """Adds, finds and drops running summaries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, conversation_id: str) -> tuple[RunningSummaryRow, ...]:
        """Return those of a conversation, the one that covers least first."""
        rows = self._database.rows(
            "select before_id, running_summaries.text from running_summaries"
            " join messages on messages.id = before_id"
            " where conversation_id = ? order by position",
            (conversation_id,),
        )
        return tuple(RunningSummaryRow(*row) for row in rows)

    def put(self, row: RunningSummaryRow) -> None:
        """Keep one, in the place of another that covers the same."""
        self._database.run(
            "insert into running_summaries (before_id, text) values (?, ?)"
            " on conflict (before_id) do update set text = excluded.text",
            (row.before_id, row.text),
        )

    def drop_before(self, message_id: str) -> None:
        """Drop those of the same conversation that cover less than the one before `message_id`."""
        self._database.run(
            "delete from running_summaries where before_id in ("
            "select other.id from messages this join messages other"
            " on other.conversation_id = this.conversation_id"
            " and other.position < this.position where this.id = ?)",
            (message_id,),
        )

    def drop_after(self, message_id: str) -> None:
        """Drop those that cover `message_id`, because it changes."""
        self._database.run(
            "delete from running_summaries where before_id in ("
            "select other.id from messages this join messages other"
            " on other.conversation_id = this.conversation_id"
            " and other.position > this.position where this.id = ?)",
            (message_id,),
        )
