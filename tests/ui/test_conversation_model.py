from datetime import datetime

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from app.chat.values import Conversation, SearchHit
from ui.conversation_model import ConversationModel, Role

NOW_S = datetime(2026, 3, 10, 12, 0).timestamp()
DAY_S = 86_400.0


def conversation(name: str, age_days: float, title: str | None = None) -> Conversation:
    time_s = NOW_S - age_days * DAY_S
    return Conversation(
        id=name, title=name if title is None else title, created_s=time_s, updated_s=time_s
    )


def texts(model: ConversationModel) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


def filled(*conversations: Conversation) -> ConversationModel:
    model = ConversationModel()
    model.show_conversations(conversations, NOW_S)
    return model


def test_conversations_stand_under_their_dates_newest_first(qtmodeltester: ModelTester) -> None:
    model = filled(
        conversation("a2", 0.01),
        conversation("a", 0.1),
        conversation("b", 1),
        conversation("week", 5),
        conversation("month", 20),
        conversation("old", 60),
    )
    qtmodeltester.check(model)
    assert texts(model) == [
        "Today",
        "a2",
        "a",
        "Yesterday",
        "b",
        "Previous 7 days",
        "week",
        "Previous 30 days",
        "month",
        "January 2026",
        "old",
    ]


def test_headings_cannot_be_chosen(qtmodeltester: ModelTester) -> None:
    model = filled(conversation("a", 0))
    heading, row = model.index(0), model.index(1)
    assert heading.data(Role.IS_HEADING)
    assert heading.flags() == Qt.ItemFlag.NoItemFlags
    assert row.flags() & Qt.ItemFlag.ItemIsSelectable
    assert row.flags() & Qt.ItemFlag.ItemIsEditable


def test_a_conversation_without_a_title_has_a_name() -> None:
    assert texts(filled(conversation("a", 0, title="")))[1] == "New chat"


def test_results_show_what_was_found_and_cannot_be_renamed(qtmodeltester: ModelTester) -> None:
    model = ConversationModel()
    model.show_hits([SearchHit("c", "Costs", "m", "the ", "costs", " of March")])
    qtmodeltester.check(model)
    row = model.index(1)
    assert texts(model) == ["Found: 1", "Costs"]
    assert row.data(Role.EXCERPT) == ("the ", "costs", " of March")
    assert row.data(Role.MESSAGE_ID) == "m"
    assert not row.flags() & Qt.ItemFlag.ItemIsEditable
    model.show_hits([])
    assert texts(model) == ["Nothing found"]


def test_a_new_title_is_announced_once_and_empty_ones_are_refused() -> None:
    model = filled(conversation("a", 0))
    renamed: list[tuple[str, str]] = []
    model.renamed.connect(lambda *what: renamed.append(what))
    row = model.index(1)
    assert not model.setData(row, "   ")
    assert not model.setData(row, "a")
    assert not model.setData(model.index(0), "Heading")
    assert model.setData(row, "  A better\n title ")
    assert renamed == [("a", "A better title")]
    assert row.data() == "A better title"


def test_taking_the_last_row_of_a_day_takes_its_heading(qtmodeltester: ModelTester) -> None:
    model = filled(conversation("a", 0), conversation("b", 1), conversation("c", 1.1))
    model.take("a")
    assert texts(model) == ["Yesterday", "b", "c"]
    model.take("c")
    assert texts(model) == ["Yesterday", "b"]
    model.take("b")
    assert texts(model) == []
    qtmodeltester.check(model)


def test_a_row_is_found_by_its_conversation() -> None:
    model = filled(conversation("a", 0), conversation("b", 1))
    assert model.index_of("b").row() == 3
    assert not model.index_of("nobody").isValid()
    assert not model.index_of("").isValid()
