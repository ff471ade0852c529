"""The messages of the conversations.

A message has a position in its conversation. A position may hold several versions of an answer; the
one that is shown is the last that came to have any text, so that an answer that is asked for again
and fails at once does not take the good one away.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from app.store.database import Database

_COLUMNS = (
    "id, conversation_id, position, role, kind, state, text, created_s, metrics, error_code,"
    " error_facts, thought, thought_s, citations"
)
_SELECT = f"select {_COLUMNS} from messages"  # noqa: S608 - our own words
_INSERT = (
    f"insert into messages ({_COLUMNS}, shown)"  # noqa: S608
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as it is kept; `metrics` and `error_facts` are JSON, `citations` a line each."""

    id: str
    conversation_id: str
    position: int
    role: str
    kind: str
    state: str
    text: str
    created_s: float
    metrics: str | None = None
    error_code: str = ""
    error_facts: str = "{}"
    thought: str = ""
    thought_s: float = 0.0
    citations: str = ""


class Messages:
    """Adds and finds messages, and lets answers grow."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, conversation_id: str) -> tuple[MessageRow, ...]:
        """Return the messages shown of a conversation, oldest first."""
        rows = self._database.rows(
            _SELECT + " where conversation_id = ? and shown order by position",
            (conversation_id,),
        )
        return tuple(MessageRow(*row) for row in rows)

    def before(self, message_id: str) -> tuple[MessageRow, ...]:
        """Return the messages shown before the place of one, in its conversation, oldest first."""
        row = self._database.row(
            "select conversation_id, position from messages where id = ?", (message_id,)
        )
        if row is None:
            return ()
        rows = self._database.rows(
            _SELECT + " where conversation_id = ? and position < ? and shown order by position",
            row,
        )
        return tuple(MessageRow(*row) for row in rows)

    def last(self, conversation_id: str) -> MessageRow | None:
        """Return the last message shown, or None in an empty conversation."""
        row = self._database.row(
            _SELECT + " where conversation_id = ? and shown order by position desc limit 1",
            (conversation_id,),
        )
        return MessageRow(*row) if row else None

    def next_position(self, conversation_id: str) -> int:
        """Return the position after the last; the first is 1."""
        row = self._database.row(
            "select coalesce(max(position), 0) + 1 from messages where conversation_id = ?",
            (conversation_id,),
        )
        return int(row[0]) if row else 1

    def add(self, row: MessageRow, *, shown: bool = True) -> None:
        """Keep a new message; a hidden one is another version of what stands at its position."""
        self._database.run(_INSERT, (*astuple(row), int(shown)))

    def write(self, message_id: str, text: str, thought: str = "") -> None:
        """Keep what an answer, and what was thought before it, has grown to."""
        with self._database.transaction():
            self._database.run(
                "update messages set text = ?, thought = ? where id = ?",
                (text, thought, message_id),
            )
            if text:
                self._show(message_id)

    def finish(self, row: MessageRow) -> None:
        """Keep an answer's last state, text and measurements."""
        with self._database.transaction():
            self._database.run(
                "update messages set state = ?, text = ?, metrics = ?, error_code = ?,"
                " error_facts = ?, thought = ?, thought_s = ?, citations = ? where id = ?",
                (
                    row.state,
                    row.text,
                    row.metrics,
                    row.error_code,
                    row.error_facts,
                    row.thought,
                    row.thought_s,
                    row.citations,
                    row.id,
                ),
            )
            if row.text:
                self._show(row.id)

    def set_kind(self, message_ids: Sequence[str], kind: str) -> None:
        """Change what kind of messages these are."""
        self._database.run_many(
            "update messages set kind = ? where id = ?",
            [(kind, message_id) for message_id in message_ids],
        )

    def grow_on(self, message_id: str) -> None:
        """Let an answer that has ended grow again, from the text that is there."""
        self._database.run("update messages set state = 'streaming' where id = ?", (message_id,))

    def interrupt(self) -> int:
        """Mark what was streaming when the program ended; return how many answers that were."""
        return self._database.run(
            "update messages set state = 'interrupted' where state = 'streaming'"
        )

    def _show(self, message_id: str) -> None:
        row = self._database.row(
            "select conversation_id, position from messages where id = ? and not shown",
            (message_id,),
        )
        if row is None:
            return
        self._database.run(
            "update messages set shown = 0 where conversation_id = ? and position = ? and shown",
            row,
        )
        self._database.run("update messages set shown = 1 where id = ?", (message_id,))
