"""Whatever a person does in whatever order, what is kept is what they saw."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.chat.service import ChatService
from app.store.database import Database
from inference.errors import WorkerDied
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator

WAIT_S = 10.0
IDS = st.sampled_from(["a", "b", "c"])
TEXTS = st.text(alphabet="wxyz \n#", min_size=1, max_size=12).filter(str.strip)


@dataclass
class Expected:
    """A conversation as a person saw it: question, answer, state."""

    turns: list[tuple[str, str, str]] = field(default_factory=list)
    title: str = ""
    is_deleted: bool = False
    used: int = 0


class Histories(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.generator = FakeGenerator()
        self.expected: dict[str, Expected] = {}
        self.uses = 0
        self.open_service()

    def open_service(self) -> None:
        path = Path(self.folder.name) / "snug.db"
        self.service = ChatService(
            lambda: Database.open(path, STORE_KEY), self.generator, FakeDocuments(), self.clock
        )

    def use(self, name: str) -> Expected:
        self.clock.advance(1)
        self.uses += 1
        conversation = self.expected.setdefault(name, Expected())
        conversation.used = self.uses
        conversation.is_deleted = False
        return conversation

    @rule(name=IDS, question=TEXTS, answer=TEXTS)
    def ask(self, name: str, question: str, answer: str) -> None:
        self.generator.say(answer)
        conversation = self.use(name)
        self.service.send(name, question).wait(WAIT_S)
        conversation.turns.append((question, answer, "complete"))

    @rule(name=IDS, question=TEXTS, part=st.just("") | TEXTS)
    def ask_in_vain(self, name: str, question: str, part: str) -> None:
        self.generator.fail(WorkerDied(), after=part)
        conversation = self.use(name)
        self.service.send(name, question).wait(WAIT_S)
        conversation.turns.append((question, part, "failed"))

    @precondition(lambda self: any(not each.is_deleted for each in self.expected.values()))
    @rule(data=st.data(), answer=st.just("") | TEXTS, fails=st.booleans())
    def ask_again(self, data: st.DataObject, answer: str, fails: bool) -> None:
        there = [name for name, each in self.expected.items() if not each.is_deleted]
        name = data.draw(st.sampled_from(sorted(there)))
        if fails:
            self.generator.fail(WorkerDied(), after=answer)
        else:
            self.generator.say(answer)
        conversation = self.use(name)
        self.service.regenerate(name).wait(WAIT_S)
        if answer:
            question = conversation.turns[-1][0]
            conversation.turns[-1] = (question, answer, "failed" if fails else "complete")

    @precondition(lambda self: self.unfinished())
    @rule(data=st.data(), rest=st.just("") | TEXTS, fails=st.booleans())
    def go_on(self, data: st.DataObject, rest: str, fails: bool) -> None:
        name = data.draw(st.sampled_from(self.unfinished()))
        if fails:
            self.generator.fail(WorkerDied(), after=rest)
        else:
            self.generator.say(rest)
        conversation = self.use(name)
        self.service.continue_answer(name).wait(WAIT_S)
        question, answer, _ = conversation.turns[-1]
        conversation.turns[-1] = (question, answer + rest, "failed" if fails else "complete")

    def unfinished(self) -> list[str]:
        """Return the conversations whose last answer can go on."""
        return sorted(
            name
            for name, each in self.expected.items()
            if not each.is_deleted and each.turns[-1][1] and each.turns[-1][2] == "failed"
        )

    @rule(name=IDS, title=TEXTS)
    def rename(self, name: str, title: str) -> None:
        self.service.rename(name, title).result(WAIT_S)
        if name in self.expected:
            self.expected[name].title = title.strip()

    @rule(name=IDS)
    def delete(self, name: str) -> None:
        self.service.delete(name).result(WAIT_S)
        if name in self.expected:
            self.expected[name].is_deleted = True

    @rule(name=IDS)
    def undo(self, name: str) -> None:
        self.service.undo_delete(name).result(WAIT_S)
        if name in self.expected:
            self.expected[name].is_deleted = False

    @rule()
    def start_again(self) -> None:
        self.service.close()
        self.open_service()
        self.expected = {name: each for name, each in self.expected.items() if not each.is_deleted}

    @invariant()
    def what_is_kept_is_what_was_seen(self) -> None:
        there = {name: each for name, each in self.expected.items() if not each.is_deleted}
        listed = self.service.conversations().result(WAIT_S)
        in_order = sorted(there, key=lambda name: -there[name].used)
        assert [conversation.id for conversation in listed] == in_order
        for conversation in listed:
            expected = there[conversation.id]
            assert expected.title in ("", conversation.title)
            messages = self.service.open(conversation.id).result(WAIT_S).messages
            seen = [
                (question.text, answer.text, answer.state)
                for question, answer in zip(messages[::2], messages[1::2], strict=True)
            ]
            assert seen == expected.turns

    def teardown(self) -> None:
        if hasattr(self, "service"):
            self.service.close()
            self.generator.close()
            self.folder.cleanup()


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
