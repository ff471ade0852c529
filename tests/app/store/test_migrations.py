"""A store that an older Snug wrote, with what people had in it."""

import json
from dataclasses import asdict
from pathlib import Path

from app.chat.archive import Archive
from app.chat.values import AnswerMetrics, AnswerSettings, RunningSummary
from app.store.database import Database
from app.store.messages import Messages
from app.store.running_summaries import RunningSummaries, RunningSummaryRow
from tests.fakes import FAKE_DEVICE, STORE_KEY

METRICS = AnswerMetrics(10, 2, 3, 0.1, 0.5, 20.0, "starter", FAKE_DEVICE)
# As the first version wrote them, its measurements without what came later.
OLD_METRICS = {
    name: value
    for name, value in asdict(METRICS).items()
    if name not in ("drafted_tokens", "accepted_tokens")
}
CONVERSATION = (
    "insert into conversations (id, title, created_s, updated_s, model_id, first_seen_id)"
    " values (?, ?, ?, ?, ?, ?)"
)
MESSAGE = (
    "insert into messages (id, conversation_id, position, role, kind, state, text, created_s,"
    " metrics, error_code, error_facts, shown) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def write_version_1(path: Path) -> None:
    database = Database.open(path, STORE_KEY, version=1)
    database.run(CONVERSATION, ("c", "Rent", 1.0, 2.0, "starter", "q2"))
    metrics = json.dumps({"type": "AnswerMetrics", **OLD_METRICS})
    rows = [
        ("q1", 1, "user", "complete", "When is the rent due?", None, "", "{}", 1),
        ("old", 2, "assistant", "complete", "Never.", metrics, "", "{}", 0),
        ("a1", 2, "assistant", "complete", "On Monday.", metrics, "", "{}", 1),
        ("q2", 3, "user", "complete", "And the deposit?", None, "", "{}", 1),
        ("a2", 4, "assistant", "failed", "", None, "worker_died", '{"exit_code": -9}', 1),
        ("q3", 5, "user", "complete", "Again?", None, "", "{}", 1),
        ("a3", 6, "assistant", "streaming", "It is", None, "", "{}", 1),
    ]
    for name, position, role, state, text, measured, code, facts, shown in rows:
        values = (name, "c", position, role, "chat", state, text, float(position))
        database.run(MESSAGE, (*values, measured, code, facts, shown))
    database.close()


def test_what_an_older_snug_kept_is_all_there(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    write_version_1(path)
    archive = Archive(Database.open(path, STORE_KEY))
    archive.settle()
    opened = archive.open("c")
    assert (opened.conversation.title, opened.first_seen_id) == ("Rent", "q2")
    assert (opened.settings, opened.running_summary) == (AnswerSettings(), "")
    kept = [(each.text, each.state, each.thought, each.thought_s) for each in opened.messages]
    assert kept == [
        ("When is the rent due?", "complete", "", 0.0),
        ("On Monday.", "complete", "", 0.0),
        ("And the deposit?", "complete", "", 0.0),
        ("", "failed", "", 0.0),
        ("Again?", "complete", "", 0.0),
        ("It is", "interrupted", "", 0.0),
    ]
    assert opened.messages[1].metrics == METRICS
    assert opened.messages[3].error_facts == {"exit_code": -9}
    assert [hit.message_id for hit in archive.search("monday")] == ["a1"]
    assert [hit.message_id for hit in archive.search("it is")] == ["a3"]
    archive.close()


def test_what_is_new_can_be_kept_in_an_older_store(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    write_version_1(path)
    archive = Archive(Database.open(path, STORE_KEY))
    archive.set_settings("c", AnswerSettings(temperature=0.5, overflow="summarize"))
    archive.keep_summary(RunningSummary("q2", "The rent is due on Monday."))
    archive.write("a3", "It is so", "Let me see")
    archive.close()
    archive = Archive(Database.open(path, STORE_KEY))
    opened = archive.open("c")
    assert opened.settings == AnswerSettings(temperature=0.5, overflow="summarize")
    assert opened.running_summary == "The rent is due on Monday."
    assert (opened.messages[-1].text, opened.messages[-1].thought) == ("It is so", "Let me see")
    archive.settle()
    assert archive.search("see") == ()
    assert [hit.message_id for hit in archive.search("so")] == ["a3"]
    archive.close()


def test_running_summaries_go_with_what_they_cover(tmp_path: Path) -> None:
    path = tmp_path / "snug.db"
    write_version_1(path)
    database = Database.open(path, STORE_KEY)
    summaries = RunningSummaries(database)
    one, two = RunningSummaryRow("q2", "One."), RunningSummaryRow("q3", "One and two.")
    summaries.put(two)
    summaries.put(RunningSummaryRow("q2", "Old."))
    summaries.put(one)
    assert summaries.of("c") == (one, two)
    summaries.drop_after("a2")
    assert summaries.of("c") == (one,)
    summaries.put(two)
    summaries.drop_before("q3")
    assert summaries.of("c") == (two,)
    summaries.drop_after("old")
    assert summaries.of("c") == ()
    summaries.put(two)
    database.run("delete from conversations")
    assert database.row("select count(*) from running_summaries") == (0,)
    assert Messages(database).of("c") == ()
    database.close()
