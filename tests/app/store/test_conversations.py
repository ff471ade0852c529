import pytest

from app.store.conversations import ConversationRow, Conversations
from app.store.database import Database
from app.store.documents import DocumentRow, Documents
from app.store.messages import MessageRow, Messages
from app.store.search import search


@pytest.fixture
def conversations(database: Database) -> Conversations:
    conversations = Conversations(database)
    conversations.add(ConversationRow("c", "Title", 1.0, 1.0, "starter"))
    return conversations


@pytest.fixture
def messages(database: Database, conversations: Conversations) -> Messages:
    return Messages(database)


@pytest.fixture
def documents(database: Database, messages: Messages) -> Documents:
    return Documents(database)


def message(name: str, position: int, text: str = "", *, state: str = "complete") -> MessageRow:
    role = "user" if position % 2 else "assistant"
    return MessageRow(name, "c", position, role, "chat", state, text, 1.0)


def test_deleting_can_be_undone_until_it_is_purged(
    database: Database, conversations: Conversations, messages: Messages
) -> None:
    messages.add(message("q", 1, "unique"))
    conversations.delete("c", deleted_s=2.0)
    assert conversations.all() == ()
    conversations.restore("c")
    assert [row.id for row in conversations.all()] == ["c"]
    assert conversations.purge() == 0
    conversations.delete("c", deleted_s=3.0)
    assert conversations.purge() == 1
    assert conversations.get("c") is None
    assert messages.of("c") == ()
    assert search(database, "unique") == ()


def test_the_index_of_words_is_always_true(
    database: Database, conversations: Conversations, messages: Messages
) -> None:
    messages.add(message("q", 1, "eins"))
    messages.add(message("a", 2, state="streaming"))
    messages.write("a", "zwei")
    assert search(database, "zwei") == ()
    messages.finish(message("a", 2, "zwei drei"))
    assert [hit.message_id for hit in search(database, "drei")] == ["a"]
    messages.add(message("b", 2, state="streaming"), shown=False)
    messages.finish(message("b", 2, "vier"))
    assert search(database, "drei") == ()
    assert [hit.message_id for hit in search(database, "vier")] == ["b"]
    conversations.delete("c", deleted_s=2.0)
    conversations.purge()
    database.run("insert into words (words, rank) values ('integrity-check', 1)")
    assert database.row("select count(*) from words") == (0,)


def test_what_was_streaming_is_interrupted_and_can_be_found(
    database: Database, messages: Messages
) -> None:
    messages.add(message("a", 2, state="streaming"))
    messages.write("a", "half an ans")
    assert messages.interrupt() == 1
    (row,) = messages.of("c")
    assert (row.state, row.text) == ("interrupted", "half an ans")
    assert len(search(database, "half")) == 1


def test_a_hidden_version_takes_over_with_its_first_text(messages: Messages) -> None:
    messages.add(message("q", 1, "question"))
    messages.add(message("old", 2, "old answer"))
    messages.add(message("new", 2, state="streaming"), shown=False)
    messages.write("new", "")
    assert [row.id for row in messages.of("c")] == ["q", "old"]
    messages.write("new", "new")
    assert [row.id for row in messages.of("c")] == ["q", "new"]
    assert [row.id for row in messages.before("new")] == ["q"]
    assert messages.before("nothing") == ()


def test_documents_stay_as_long_as_a_message_carries_them(
    conversations: Conversations, messages: Messages, documents: Documents
) -> None:
    for name in ("first", "second", "orphan"):
        documents.add(DocumentRow(name, f"{name}.pdf", 3, "{}"), body=b"\x00\xff", created_s=1.0)
    messages.add(message("q", 1, "question"))
    documents.attach("q", ["second", "first"])
    assert [row.id for row in documents.of("c")["q"]] == ["second", "first"]
    assert documents.body("first") == b"\x00\xff"
    assert documents.purge() == 1
    assert documents.body("orphan") is None
    conversations.delete("c", deleted_s=2.0)
    conversations.purge()
    assert documents.purge() == 2
    assert documents.of("c") == {}
