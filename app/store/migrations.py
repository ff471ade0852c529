"""The schema, as numbered steps that are only ever added to.

A step that has been released is never changed: a store of any age is brought up to date by the
steps it lacks, in one transaction, so that it is either old or new and never between.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from app.errors import StoreTooNew


class Migratable(Protocol):
    """What a step needs of a database."""

    def row(self, sql: str) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        ...

    def run(self, sql: str) -> int:
        """Execute one statement."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all that happens inside or nothing of it."""
        ...


def migrate(database: Migratable, *, upto: int | None = None) -> None:
    """Bring the schema up to date, or to an older version `upto` that a test wants to start from.

    Raises:
        StoreTooNew: A newer Snug wrote this store.
    """
    steps = MIGRATIONS[:upto]
    with database.transaction():
        version = _version(database)
        if version > len(MIGRATIONS):
            raise StoreTooNew
        for step in steps[version:]:
            step(database)
        if version < len(steps):
            database.run(f"pragma user_version = {len(steps)}")


def _version(database: Migratable) -> int:
    row = database.row("pragma user_version")
    return int(row[0]) if row else 0


def _m001_conversations(database: Migratable) -> None:
    """Conversations, their messages, the words in them, and documents.

    A place in a conversation (`position`) may hold several versions of an answer, one of them
    shown. Answers enter the word index once they are no longer streaming, because a row of the
    index costs as much as the whole text.
    """
    for statement in _M001:
        database.run(statement)


_M001 = (
    """
    create table conversations (
        id text primary key,
        title text not null,
        created_s real not null,
        updated_s real not null,
        model_id text not null default '',
        first_seen_id text not null default '',
        deleted_s real
    ) strict
    """,
    "create index conversations_by_time on conversations (updated_s desc)",
    """
    create table messages (
        key integer primary key,
        id text not null unique,
        conversation_id text not null references conversations (id) on delete cascade,
        position integer not null,
        shown integer not null,
        role text not null,
        kind text not null,
        state text not null,
        text text not null,
        created_s real not null,
        metrics text,
        error_code text not null default '',
        error_facts text not null default '{}'
    ) strict
    """,
    "create index messages_by_place on messages (conversation_id, position)",
    """
    create unique index messages_shown on messages (conversation_id, position) where shown
    """,
    "create index messages_streaming on messages (key) where state = 'streaming'",
    """
    create virtual table words using fts5 (
        text, content = 'messages', content_rowid = 'key',
        tokenize = 'unicode61 remove_diacritics 2'
    )
    """,
    """
    create trigger words_insert after insert on messages when new.state <> 'streaming' begin
        insert into words (rowid, text) values (new.key, new.text);
    end
    """,
    """
    create trigger words_delete after delete on messages when old.state <> 'streaming' begin
        insert into words (words, rowid, text) values ('delete', old.key, old.text);
    end
    """,
    """
    create trigger words_leave after update of text, state on messages
    when old.state <> 'streaming' begin
        insert into words (words, rowid, text) values ('delete', old.key, old.text);
    end
    """,
    """
    create trigger words_enter after update of text, state on messages
    when new.state <> 'streaming' begin
        insert into words (rowid, text) values (new.key, new.text);
    end
    """,
    """
    create table documents (
        id text primary key,
        name text not null,
        size_bytes integer not null,
        report text not null,
        body blob not null,
        created_s real not null
    ) strict
    """,
    """
    create table attachments (
        message_id text not null references messages (id) on delete cascade,
        document_id text not null references documents (id),
        place integer not null,
        primary key (message_id, place)
    ) strict, without rowid
    """,
    "create index attachments_by_document on attachments (document_id)",
)


def _m002_how_answers_are_made(database: Migratable) -> None:
    """Settings of a conversation, what its earlier part was about, and what a model thought.

    A running summary tells what lies before one message. There may be two at a time: the one in use
    and the next, which is written before it is needed. What was thought is in no word index.
    """
    for statement in _M002:
        database.run(statement)


_M002 = (
    "alter table conversations add column settings text not null default '{}'",
    "alter table messages add column thought text not null default ''",
    "alter table messages add column thought_s real not null default 0",
    """
    create table running_summaries (
        before_id text primary key references messages (id) on delete cascade,
        text text not null
    ) strict, without rowid
    """,
)


def _m003_recognized_pages(database: Migratable) -> None:
    """Pages that were recognized in images, by the SHA-256 of their file."""
    for statement in _M003:
        database.run(statement)


_M003 = (
    """
    create table recognized_pages (
        sha256 text not null,
        number integer not null,
        engine text not null,
        body blob not null,
        used_s real not null,
        primary key (sha256, number)
    ) strict
    """,
    "create index recognized_pages_by_use on recognized_pages (used_s)",
)


def _m004_summary_progress(database: Migratable) -> None:
    """What was written of a summary so far, by the document, the options and the model."""
    for statement in _M004:
        database.run(statement)


_M004 = (
    """
    create table summary_progress (
        key text primary key,
        body blob not null,
        used_s real not null
    ) strict
    """,
)


def _m005_citations(database: Migratable) -> None:
    """What answers rest on, and where the files of documents were."""
    for statement in _M005:
        database.run(statement)


_M005 = (
    "alter table messages add column citations text not null default ''",
    "alter table documents add column path text not null default ''",
)


def _m006_library(database: Migratable) -> None:
    """Folders that stay indexed: their files, the chunks of these, and three indexes of words.

    Words without a space between them are found by three characters each. The indexes hold no text
    of their own.
    """
    for statement in _M006:
        database.run(statement)


def _words_of_library(index: str, tokenizer: str) -> tuple[str, ...]:
    table = f"library_{index}"
    return (
        f"""
        create virtual table {table} using fts5 (
            text, content = '', contentless_delete = 1, tokenize = '{tokenizer}'
        )
        """,
        f"""
        create trigger {table}_enter after insert on library_chunks when new.words = '{index}'
        begin
            insert into {table} (rowid, text) values (new.key, new.heading || ' ' || new.text);
        end
        """,  # noqa: S608 - names of ours
        f"""
        create trigger {table}_leave after delete on library_chunks when old.words = '{index}'
        begin
            delete from {table} where rowid = old.key;
        end
        """,  # noqa: S608 - names of ours
    )


_M006 = (
    """
    create table library_folders (
        key integer primary key,
        path blob not null unique
    ) strict
    """,
    """
    create table library_files (
        key integer primary key,
        path blob not null unique,
        size_bytes integer not null,
        mtime_ns integer not null,
        sha256 text not null,
        code text not null,
        detail text not null,
        language text not null
    ) strict
    """,
    """
    create table library_chunks (
        key integer primary key autoincrement,
        file_key integer not null references library_files (key) on delete cascade,
        place text not null,
        heading text not null,
        text text not null,
        sentences text not null,
        words text not null,
        vector blob
    ) strict
    """,
    "create index library_chunks_by_file on library_chunks (file_key)",
    "create index library_chunks_waiting on library_chunks (key) where vector is null",
    *_words_of_library("english", "porter unicode61 remove_diacritics 2"),
    *_words_of_library("spaced", "unicode61 remove_diacritics 2"),
    *_words_of_library("unspaced", "trigram"),
)

MIGRATIONS: tuple[Callable[[Migratable], None], ...] = (
    _m001_conversations,
    _m002_how_answers_are_made,
    _m003_recognized_pages,
    _m004_summary_progress,
    _m005_citations,
    _m006_library,
)
