"""A conversation that is longer than the model's window, as the person wants it dealt with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.condensing_plan import summary_tokens
from app.chat.outlook import recall
from app.chat.service import ChatService
from app.chat.values import AnswerSettings, ContextUse, TurnView
from app.store.database import Database
from inference.errors import WorkerDied
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator, FakeRequest

WAIT_S = 10.0
WINDOW_TOKENS = 4000
ANSWER_TOKENS = 1000
BUDGET_TOKENS = WINDOW_TOKENS - ANSWER_TOKENS
TURN_WORDS = 140
# So many turns are three quarters of what a prompt may take, and so many all of it.
MOST, ALL = 8, 10


class Small:
    """A service on a small window, and what a test does with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generator = FakeGenerator(context_tokens=WINDOW_TOKENS)
        self.service = self._start()
        self.asked = 0

    def _start(self) -> ChatService:
        return ChatService(
            lambda: Database.open(self.path, STORE_KEY),
            self.generator,
            FakeDocuments(),
            FakeClock(),
        )

    def restart(self) -> None:
        self.service.close()
        self.service = self._start()

    def close(self) -> None:
        self.generator.release()
        self.service.close()
        self.generator.close()

    def choose(self, settings: AnswerSettings) -> None:
        self.service.set_answer_settings("c", settings).result(WAIT_S)

    def ask(self, count: int = 1) -> list[TurnView]:
        views = []
        for _ in range(count):
            self.generator.say(f"answer{self.asked} " * TURN_WORDS)
            question = f"question{self.asked} " * TURN_WORDS
            views.append(self.service.send("c", question).wait(WAIT_S))
            self.asked += 1
        return views

    def told(self) -> list[str]:
        """Return the first word of all that the last answer was asked with, no system prompt."""
        return [message.content.split()[0] for message in self.last().messages[1:]]

    def last(self) -> FakeRequest:
        return [each for each in self.generator.requests if each.lane == "interactive"][-1]

    def summaries(self) -> list[FakeRequest]:
        return [each for each in self.generator.requests if each.lane == "batch"]

    def settle(self) -> int:
        """Return how many running summaries were asked for once all of them are over."""
        while True:
            self.service.conversations().result(WAIT_S)
            count = len(self.summaries())
            is_over = len(self.generator.dropped) == count
            self.service.conversations().result(WAIT_S)
            if is_over and len(self.summaries()) == count:
                return count


@pytest.fixture
def small(store_path: Path) -> Iterator[Small]:
    small = Small(store_path)
    yield small
    small.close()


SUMMARIZE = AnswerSettings(overflow="summarize", max_new_tokens=ANSWER_TOKENS)
ASK = AnswerSettings(overflow="ask", max_new_tokens=ANSWER_TOKENS)


def test_asked_for_a_choice_nothing_leaves_until_it_was_made(small: Small) -> None:
    small.choose(ASK)
    full = small.ask(ALL + 1)[-1]
    assert full.message is not None
    assert (full.message.state, full.message.error_code) == ("failed", "context_full")
    needed = full.message.error_facts["needed_tokens"]
    assert isinstance(needed, int)
    assert full.message.error_facts["limit_tokens"] == BUDGET_TOKENS < needed
    opened = small.service.open("c").result(WAIT_S)
    assert opened.first_seen_id == ""
    assert opened.messages[-1] == full.message
    small.generator.say("unused", lane="batch")
    small.choose(AnswerSettings(overflow="drop", max_new_tokens=ANSWER_TOKENS))
    view = small.service.regenerate("c").wait(WAIT_S)
    assert view.message is not None
    assert view.message.state == "complete"
    assert view.first_seen_id != ""
    assert small.told()[-1] == f"question{small.asked - 1}"
    assert small.summaries() == []


def test_the_older_turns_are_summarized_before_the_window_is_full(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted. It went well.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    opened = small.service.open("c").result(WAIT_S)
    assert (opened.first_seen_id, opened.running_summary) == ("", ""), "all is still seen"
    request = small.summaries()[0]
    assert request.session_id != "c"
    assert small.generator.dropped == [request.session_id]
    *seeing_all, view = small.ask(ALL + 1 - MOST)
    assert [each.first_seen_id for each in seeing_all] == ["", ""]
    assert view.running_summary == "They counted. It went well."
    opened = small.service.open("c").result(WAIT_S)
    assert opened.running_summary
    assert opened.first_seen_id in [message.id for message in opened.messages]


def test_the_summary_is_told_in_place_of_what_left(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    while not small.ask()[-1].first_seen_id:
        pass
    opened = small.service.open("c").result(WAIT_S)
    line = [message.id for message in opened.messages].index(opened.first_seen_id)
    told = small.last().messages
    assert told[1].content == f"{recall('They counted.')}\n\n{opened.messages[line].text}"
    assert [message.content for message in told[2:]] == [
        message.text for message in opened.messages[line + 1 : -1]
    ]


def test_the_next_summary_goes_on_from_the_first_and_takes_its_place(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("First.", lane="batch")
    small.generator.say("Second.", lane="batch")
    told: list[str] = []
    while len(told) < 2:
        (view,) = small.ask()
        small.settle()
        if view.running_summary and view.running_summary not in told:
            told.append(view.running_summary)
    assert told == ["First.", "First.\nSecond."]
    for request in small.summaries():
        assert small.generator.count_tokens(request.messages) <= WINDOW_TOKENS // 2


def test_summaries_survive_a_restart(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    small.restart()
    while not (view := small.ask()[-1]).first_seen_id:
        pass
    assert view.running_summary == "They counted."
    small.restart()
    assert small.service.open("c").result(WAIT_S).running_summary == "They counted."


def test_what_leaves_before_its_summary_is_ready_is_caught_up_with(small: Small) -> None:
    small.choose(AnswerSettings(overflow="drop", max_new_tokens=ANSWER_TOKENS))
    while not small.ask()[-1].first_seen_id:
        pass
    line = small.service.open("c").result(WAIT_S).first_seen_id
    small.generator.say("What had", lane="batch")
    small.generator.say("left.", lane="batch")
    small.choose(SUMMARIZE)
    assert small.settle() == 2
    opened = small.service.open("c").result(WAIT_S)
    assert (opened.first_seen_id, opened.running_summary) == (line, "What had\nleft.")
    (view,) = small.ask()
    assert (view.first_seen_id, view.running_summary) == (line, "What had\nleft.")


def test_a_summary_that_fails_holds_up_nothing_and_is_tried_again(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.fail(WorkerDied(), after="They", lane="batch")
    small.generator.say("They counted.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    while small.settle() < 2:
        small.ask()
    while not (view := small.ask()[-1]).first_seen_id:
        pass
    assert view.message is not None
    assert view.message.state == "complete"
    assert view.running_summary == "They counted."


def begin_summary(small: Small) -> FakeRequest:
    """Return the request of a running summary that is being written and held up."""
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", lane="batch")
    small.ask(MOST - 1)
    small.generator.say("last " * TURN_WORDS)
    small.generator.hold()
    turn = small.service.send("c", "last " * TURN_WORDS)
    small.generator.step(TURN_WORDS)
    turn.wait(WAIT_S)
    small.generator.wait_for_requests(MOST + 1)
    (request,) = small.summaries()
    return request


def test_a_summary_is_of_no_use_to_a_conversation_that_is_gone(small: Small) -> None:
    request = begin_summary(small)
    small.service.delete("c").result(WAIT_S)
    assert request.cancelled


def test_another_choice_ends_the_writing(small: Small) -> None:
    request = begin_summary(small)
    small.choose(AnswerSettings(overflow="drop"))
    assert request.cancelled
    small.generator.release()
    assert small.settle() == 1
    small.choose(SUMMARIZE)
    assert small.settle() == 2, "what was written before the end was not kept"


def test_a_summary_of_what_has_changed_meanwhile_is_not_kept(small: Small) -> None:
    begin_summary(small)
    archive, serial = small.service._archive, small.service._serial
    first = small.service.open("c").result(WAIT_S).messages[0]
    sql = "update messages set id = 'other' where id = ?"
    serial.submit(lambda: archive()._database.run(sql, (first.id,))).result(WAIT_S)
    small.generator.release()
    assert small.settle() == 1
    assert serial.submit(lambda: archive().state("c")).result(WAIT_S).summaries == ()


def test_closing_ends_the_writing(small: Small) -> None:
    request = begin_summary(small)
    small.service.close()
    assert request.cancelled


def test_a_turn_is_kept_and_asked_while_a_summary_is_written(small: Small) -> None:
    begin_summary(small)
    turn = small.service.send("c", "One more")
    small.generator.wait_for_requests(MOST + 2)
    assert small.last().messages[-1].content == "One more"
    small.generator.release()
    assert turn.wait(WAIT_S).text == "You said: One more"
    assert small.settle() == 1
    while not (view := small.ask()[-1]).first_seen_id:
        pass
    assert view.running_summary == "They counted."


def test_a_model_that_thinks_has_room_for_it(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", thought="hm " * 10, lane="batch")
    small.generator.say("More.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    while small.settle() < 2:
        small.ask()
    first, second = (request.sampling.max_new_tokens for request in small.summaries())
    assert second > first
    assert "hm" not in small.summaries()[1].messages[0].content


def test_however_much_is_written_summaries_keep_to_their_share_of_the_window(small: Small) -> None:
    small.choose(SUMMARIZE)
    for _ in range(40):
        small.generator.say("It went on. " * 900, thought="hm ", lane="batch")
    told: dict[str, str] = {}
    while len(told) < 4:
        (view,) = small.ask()
        small.settle()
        told.update({view.first_seen_id: view.running_summary} if view.first_seen_id else {})
    assert len(small.summaries()) < 40
    assert {text[-3:] for text in told.values()} == {"on."}
    longest = max(len(text.split()) for text in told.values())
    assert longest <= summary_tokens(WINDOW_TOKENS)
    assert longest > summary_tokens(WINDOW_TOKENS) // 2, "notes are put behind notes"


def test_without_a_loaded_model_none_is_written(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.device = None
    small.ask(MOST)
    small.service.conversations().result(WAIT_S)
    assert small.summaries() == []


def test_an_answer_that_is_made_anew_leaves_a_summary_of_what_was_before(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    small.service.regenerate("c").wait(WAIT_S)
    while not (view := small.ask()[-1]).first_seen_id:
        pass
    assert view.running_summary == "They counted."


def test_the_meter_says_when_older_turns_will_leave_and_by_how_much_a_draft_is_too_long(
    small: Small,
) -> None:
    small.choose(ASK)
    small.ask(ALL)
    use = small.service.context_use("c", "short").result(WAIT_S)
    assert (use.over_tokens, use.is_cut_next) == (0, False)
    use = small.service.context_use("c", "word " * 300).result(WAIT_S)
    assert (use.over_tokens, use.is_cut_next) == (0, True)
    assert use.used_tokens > BUDGET_TOKENS
    use = small.service.context_use("c", "word " * 3000).result(WAIT_S)
    empty = small.service.context_use("new", "").result(WAIT_S).used_tokens
    assert (use.over_tokens, use.is_cut_next) == (3000 + empty - (BUDGET_TOKENS), False)
    message = small.service.send("c", "word " * 3000).wait(WAIT_S).message
    assert message is not None
    assert message.error_code == "context_overflow"
    needed, limit = message.error_facts["needed_tokens"], message.error_facts["limit_tokens"]
    assert isinstance(needed, int)
    assert isinstance(limit, int)
    assert needed - limit == use.over_tokens
    assert isinstance(use, ContextUse)


def test_what_is_computed_ahead_is_cut_as_what_is_sent(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.say("They counted.", lane="batch")
    small.ask(ALL)
    assert small.settle() == 1
    draft = " ".join(["question"] * TURN_WORDS)
    small.service.warm("c", draft)
    assert small.service.open("c").result(WAIT_S).first_seen_id == "", "only sending cuts"
    ahead = small.generator.prefilled[-1].messages
    small.service.send("c", draft).wait(WAIT_S)
    assert "They counted." in small.last().messages[1].content
    assert ahead == small.last().messages


def test_a_new_summary_is_computed_ahead(small: Small) -> None:
    small.choose(AnswerSettings(overflow="drop", max_new_tokens=ANSWER_TOKENS))
    small.ask(ALL + 1)
    small.service.warm("c")
    small.generator.say("What had", lane="batch")
    small.generator.say("left.", lane="batch")
    small.choose(SUMMARIZE)
    assert small.settle() == 2
    ahead = small.generator.prefilled[-1].messages
    assert "What had\nleft." in ahead[1].content
    small.ask()
    assert small.last().messages[: len(ahead)] == ahead


def test_a_conversation_that_is_opened_again_is_caught_up_with(small: Small) -> None:
    small.choose(SUMMARIZE)
    small.generator.fail(WorkerDied(), lane="batch")
    small.ask(MOST)
    assert small.settle() == 1
    small.restart()
    small.generator.say("They counted.", lane="batch")
    small.service.warm("c")
    small.service.warm("c", "And")
    assert small.settle() == 2
    small.ask(ALL - MOST)
    (view,) = small.ask()
    assert view.running_summary == "They counted."
