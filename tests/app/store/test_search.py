import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.store.conversations import ConversationRow, Conversations
from app.store.database import Database
from app.store.messages import MessageRow, Messages
from app.store.search import quote, search

TEXTS = (
    "The invoice of Straße 5 is due on Monday",
    "Die Übung fällt aus, C++17 und naïve Café",
    'He said "NOT now" AND left (quickly)* NEAR the column text:word',
    "第一章 概述",
)


@pytest.fixture
def filled(database: Database) -> Database:
    Conversations(database).add(ConversationRow("c", "Letters", 1.0, 1.0))
    for number, text in enumerate(TEXTS, 1):
        row = MessageRow(f"m{number}", "c", number, "user", "chat", "complete", text, 1.0)
        Messages(database).add(row)
    return database


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("invoice", ["m1"]),
        ("INVOICE monday", ["m1"]),
        ("monday invoice missing", []),
        ("invo", ["m1"]),
        ("voice", []),
        ("übung", ["m2"]),
        ("ubung cafe", ["m2"]),
        ("u\u0308bung", ["m2"]),
        ("c++17", ["m2"]),
        ('"not now"', ["m3"]),
        ("text:word", ["m3"]),
        ("NEAR(", ["m3"]),
        ("第一章", ["m4"]),
        ("", []),
        ("?!*\"'", []),
    ],
)
def test_words_are_found_however_they_are_written(
    filled: Database, query: str, found: list[str]
) -> None:
    assert [hit.message_id for hit in search(filled, query)] == found


def test_the_excerpt_shows_the_words_round_the_match(filled: Database) -> None:
    (hit,) = search(filled, "monday")
    assert hit.title == "Letters"
    assert (hit.before, hit.match, hit.after) == (
        "The invoice of Straße 5 is due on ",
        "Monday",
        "",
    )


def test_the_newest_hit_comes_first_and_there_is_a_limit(filled: Database) -> None:
    for number in range(5, 25):
        row = MessageRow(f"m{number}", "c", number, "user", "chat", "complete", "same word", 1.0)
        Messages(filled).add(row)
    assert [hit.message_id for hit in search(filled, "same", limit=3)] == ["m24", "m23", "m22"]


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text() | st.text(alphabet="\"'*()^:-+{}~ \x00\n ANDORNEAT", max_size=30))
@example('"')
@example("NEAR(a b)")
@example("a OR")
@example("\x00")
@example("\ud800")
@example("² Ⅷ")
def test_nothing_a_person_types_is_an_error(filled: Database, query: str) -> None:
    search(filled, query)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), min_size=1)
)
def test_every_word_that_was_stored_is_found(database: Database, word: str) -> None:
    with database.transaction():
        Conversations(database).add(ConversationRow("c", "t", 1.0, 1.0))
        text = f"before {word} after"
        row = MessageRow("m", "c", 1, "user", "chat", "complete", text, 1.0)
        Messages(database).add(row)
        assert [hit.message_id for hit in search(database, word)] == ["m"]
        database.run("delete from conversations")


def test_quoting_keeps_letters_and_digits_only() -> None:
    assert quote('He\'s "10%" _done_') == '"He"* "s"* "10"* "done"*'
