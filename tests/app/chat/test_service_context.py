from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.chat import prompts
from app.chat.service import ChatService
from app.chat.values import ContextUse
from app.ports import Handle
from app.store.database import Database
from inference.errors import ContextOverflow, WorkerDied
from inference.types import ChatMessage, Event, Failed, Lane, Sampling
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0
SYSTEM_TOKENS = 4 + len(prompts.system_prompt().split())


class LateWindow(FakeGenerator):
    """A generator whose window is known only once a request was too long, as before a load."""

    def __init__(self, tokens: int) -> None:
        super().__init__(context_tokens=0)
        self._late_tokens = tokens

    def submit(
        self,
        messages: tuple[ChatMessage, ...],
        *,
        session_id: str,
        sampling: Sampling,
        sink: Callable[[Event], None],
        lane: Lane = "interactive",
        drafts: bool = False,
        continues: bool = False,
        schema: str = "",
    ) -> Handle:
        needed = self.count_tokens(messages)
        if needed <= self._late_tokens:
            return super().submit(messages, session_id=session_id, sampling=sampling, sink=sink)
        self.context_tokens = self._late_tokens
        facts = {"needed_tokens": needed, "limit_tokens": self._late_tokens}
        self.fail(ContextOverflow(**facts))
        self._scripts["interactive"].rotate(1)
        return super().submit(messages, session_id=session_id, sampling=sampling, sink=sink)


@pytest.fixture
def small(
    store_path: Path, documents: FakeDocuments, clock: FakeClock
) -> Iterator[tuple[ChatService, FakeGenerator]]:
    with FakeGenerator(context_tokens=200) as generator:
        service = ChatService(
            lambda: Database.open(store_path, STORE_KEY), generator, documents, clock
        )
        yield service, generator
        service.close()


def seen(generator: FakeGenerator) -> list[str]:
    return [message.content.split()[0] for message in generator.requests[-1].messages[1:]]


def fill(service: ChatService, generator: FakeGenerator, count: int, start: int = 0) -> list[str]:
    cuts = []
    for number in range(start, start + count):
        generator.say(f"answer{number} " * 20)
        cuts.append(service.send("c", f"question{number} " * 10).wait(WAIT_S).first_seen_id)
    return cuts


def test_older_turns_leave_in_one_step_and_the_line_is_kept(
    small: tuple[ChatService, FakeGenerator], store_path: Path, clock: FakeClock
) -> None:
    service, generator = small
    cuts = fill(service, generator, 6)
    assert cuts[:3] == ["", "", ""]
    assert len(set(cuts[3:])) == 2, "a cut holds for more than one turn"
    opened = service.open("c").result(WAIT_S)
    assert opened.first_seen_id == cuts[-1]
    line = [message.id for message in opened.messages].index(cuts[-1])
    assert len(seen(generator)) == len(opened.messages) - line - 1
    service.close()
    again = ChatService(
        lambda: Database.open(store_path, STORE_KEY), generator, FakeDocuments(), clock
    )
    assert again.open("c").result(WAIT_S).first_seen_id == cuts[-1]
    again.close()


def test_the_cut_stays_although_its_first_question_was_never_answered(
    small: tuple[ChatService, FakeGenerator],
) -> None:
    service, generator = small
    cuts = fill(service, generator, 3)
    generator.fail(WorkerDied())
    failed = service.send("c", "question3 " * 100)
    assert cuts[-1] == ""
    assert failed.question is not None
    assert failed.wait(WAIT_S).first_seen_id == failed.question.id
    fill(service, generator, 1, start=4)
    assert seen(generator) == ["question4"]


def test_a_question_that_is_too_long_is_kept_and_says_by_how_much(
    small: tuple[ChatService, FakeGenerator],
) -> None:
    service, generator = small
    message = service.send("c", "word " * 500).wait(WAIT_S).message
    assert message is not None
    assert (message.state, message.error_code) == ("failed", "context_overflow")
    assert message.error_facts["needed_tokens"] == 500 + 4 + SYSTEM_TOKENS
    assert message.error_facts["limit_tokens"] == 150
    assert service.open("c").result(WAIT_S).messages[0].text == "word " * 500
    assert generator.requests == []
    assert service.send("c", "short").wait(WAIT_S).text == "You said: short"


def test_an_answer_may_be_as_long_as_what_is_left(
    small: tuple[ChatService, FakeGenerator],
) -> None:
    service, generator = small
    service.send("c", "word " * 50).wait(WAIT_S)
    assert generator.requests[-1].sampling.max_new_tokens == 200 - 54 - SYSTEM_TOKENS


def test_the_use_of_the_window_counts_history_and_draft(
    small: tuple[ChatService, FakeGenerator],
) -> None:
    service, generator = small
    empty = service.context_use("c", "").result(WAIT_S)
    assert empty == ContextUse(SYSTEM_TOKENS + 4, 200)
    generator.say("one two")
    service.send("c", "three").wait(WAIT_S)
    use = service.context_use("c", "four five").result(WAIT_S)
    assert use == ContextUse(SYSTEM_TOKENS + 6 + 5 + 6, 200)
    generator.context_tokens = 0
    assert service.context_use("c", "four").result(WAIT_S) == ContextUse(0, 0)


@pytest.mark.parametrize("thought_tokens", [0, 4096])
def test_a_window_that_is_known_only_after_the_load_is_fitted_then(
    store_path: Path, documents: FakeDocuments, clock: FakeClock, thought_tokens: int
) -> None:
    with LateWindow(200) as generator:
        service = ChatService(
            lambda: Database.open(store_path, STORE_KEY), generator, documents, clock
        )
        cuts = fill(service, generator, 1)
        generator.context_tokens = thought_tokens
        cuts += fill(service, generator, 5, start=1)
        opened = service.open("c").result(WAIT_S)
        service.close()
    assert cuts[-1] == opened.first_seen_id != ""
    assert {message.state for message in opened.messages} == {"complete"}


def test_a_failure_that_no_fitting_can_mend_ends_the_turn(
    store_path: Path, documents: FakeDocuments, clock: FakeClock
) -> None:
    with LateWindow(50) as generator:
        service = ChatService(
            lambda: Database.open(store_path, STORE_KEY), generator, documents, clock
        )
        message = service.send("c", "word " * 100).wait(WAIT_S).message
        service.close()
    assert message is not None
    assert message.error_code == Failed(0, "context_overflow").code


@pytest.mark.parametrize(
    ("question", "drafts"),
    [("Hello", False), ("Mend this:\n```\nx = 1\n```", True), ("Answer:\n> Dear all,", True)],
)
def test_answers_that_may_quote_are_drafted(
    service: ChatService, generator: FakeGenerator, question: str, drafts: bool
) -> None:
    service.send("c", question).wait(WAIT_S)
    assert generator.requests[-1].drafts is drafts


def test_a_document_is_counted_before_it_is_sent_and_answers_on_it_are_drafted(
    service: ChatService, generator: FakeGenerator, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("word " * 300, encoding="utf-8")
    attachment = service.attach("c", path).result(WAIT_S)
    without = service.context_use("c", "Tell me.").result(WAIT_S)
    with_it = service.context_use("c", "Tell me.", (attachment,)).result(WAIT_S)
    assert with_it.used_tokens > without.used_tokens + 300
    service.send("c", "Tell me.", (attachment,)).wait(WAIT_S)
    service.send("c", "And then?").wait(WAIT_S)
    assert [request.drafts for request in generator.requests] == [True, True]
