"""The documents that were attached to messages, with their text, encrypted like everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.store.database import Database

_OF_CONVERSATION = """
    select attachments.message_id, documents.id, documents.name, documents.size_bytes,
        documents.report, documents.path
    from attachments
    join messages on messages.id = attachments.message_id
    join documents on documents.id = attachments.document_id
    where messages.conversation_id = ?
    order by attachments.place
"""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document without its text; `report` is JSON, `path` where its file was, or empty."""

    id: str
    name: str
    size_bytes: int
    report: str
    path: str = ""


class Documents:
    """Keeps documents, and which message carries which."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, row: DocumentRow, *, body: bytes, created_s: float) -> None:
        """Keep a document that no message carries yet; `body` is its text as the reader made it."""
        self._database.run(
            "insert into documents (id, name, size_bytes, report, path, body, created_s)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (row.id, row.name, row.size_bytes, row.report, row.path, body, created_s),
        )

    def body(self, document_id: str) -> bytes | None:
        """Return the text that was kept, or None where there is no such document."""
        row = self._database.row("select body from documents where id = ?", (document_id,))
        return bytes(row[0]) if row else None

    def attach(self, message_id: str, document_ids: Sequence[str]) -> None:
        """Let a message carry documents, in this order."""
        self._database.run_many(
            "insert into attachments (message_id, document_id, place) values (?, ?, ?)",
            [(message_id, document_id, place) for place, document_id in enumerate(document_ids)],
        )

    def of(self, conversation_id: str) -> dict[str, tuple[DocumentRow, ...]]:
        """Return the documents of each message of a conversation that carries any, in order."""
        rows = self._database.rows(_OF_CONVERSATION, (conversation_id,))
        found: dict[str, tuple[DocumentRow, ...]] = {}
        for message_id, *columns in rows:
            found[message_id] = (*found.get(message_id, ()), DocumentRow(*columns))
        return found

    def purge(self) -> int:
        """Remove the documents that no message carries, and return how many."""
        return self._database.run(
            "delete from documents where id not in (select document_id from attachments)"
        )
