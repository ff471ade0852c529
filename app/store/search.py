"""Finding the messages that hold all the words a person typed."""

import re
import unicodedata
from dataclasses import dataclass

from app.store.database import Database, Row

_WORD = re.compile(r"[^\W_]+")
_EXCERPT_TOKENS = 16
# Two private marks round the match; text that holds them itself only gets another excerpt.
_OPEN, _CLOSE = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class HitRow:
    """A message that was found; `before`, `match` and `after` make up its excerpt."""

    conversation_id: str
    title: str
    message_id: str
    before: str
    match: str
    after: str


def quote(query: str) -> str:
    """Return `query` as an FTS5 expression: each word as the start of a word, all of them wanted.

    Only letters and digits get through, so nothing a person types is an operator or an error; a
    query without any gives an empty expression.
    """
    words = _WORD.findall(unicodedata.normalize("NFC", query))
    return " ".join(f'"{word}"*' for word in words)


def search(database: Database, query: str, *, limit: int = 100) -> tuple[HitRow, ...]:
    """Return the messages shown that hold the words, the newest first."""
    expression = quote(query)
    if not expression:
        return ()
    rows = database.rows(
        "select messages.conversation_id, conversations.title, messages.id,"
        " snippet(words, 0, ?, ?, '…', ?)"
        " from words join messages on messages.key = words.rowid"
        " join conversations on conversations.id = messages.conversation_id"
        " where words match ? and messages.shown and conversations.deleted_s is null"
        " order by words.rowid desc limit ?",
        (_OPEN, _CLOSE, _EXCERPT_TOKENS, expression, limit),
    )
    return tuple(_hit(row) for row in rows)


def _hit(row: Row) -> HitRow:
    conversation_id, title, message_id, excerpt = row
    before, _, rest = " ".join(excerpt.split()).partition(_OPEN)
    match, _, after = rest.partition(_CLOSE)
    after = after.replace(_OPEN, "").replace(_CLOSE, "")
    return HitRow(conversation_id, title, message_id, before, match, after)
