"""Everything that a person and a window can do, from many threads at once."""

import random
import threading

from app.chat.service import ChatService
from app.chat.values import AnswerSettings, Overflow
from inference.errors import WorkerDied
from tests.fakes import FakeGenerator

WAIT_S = 30.0
THREADS = 6
STEPS = 60
CONVERSATIONS = ("c0", "c1", "c2")
POLICIES: tuple[Overflow, ...] = ("drop", "summarize", "ask")


class Busy:
    """One thread's doings; the same ones each time, though not in the same order with others'."""

    def __init__(self, number: int, service: ChatService, generator: FakeGenerator) -> None:
        self._number = number
        self._service = service
        self._generator = generator
        self._choices = random.Random(number)  # noqa: S311 - see above
        self.sent: list[tuple[str, str]] = []

    def run(self) -> None:
        doings = (self.send, self.send, self.fail, self.ask_more, self.choose, self.warm, self.look)
        for _ in range(STEPS):
            self._choices.choice(doings)(self._choices.choice(CONVERSATIONS))

    def send(self, conversation_id: str) -> None:
        words = "word " * self._choices.randrange(120)
        text = f"{self._number}-{len(self.sent)} {words}"
        self.sent.append((conversation_id, text))
        self._service.send(conversation_id, text).wait(WAIT_S)

    def fail(self, conversation_id: str) -> None:
        self._generator.fail(WorkerDied(), after="half ")

    def ask_more(self, conversation_id: str) -> None:
        if self._choices.random() < 0.5:
            self._service.regenerate(conversation_id)
        else:
            self._service.continue_answer(conversation_id)

    def choose(self, conversation_id: str) -> None:
        settings = AnswerSettings(overflow=self._choices.choice(POLICIES), max_new_tokens=200)
        self._service.set_answer_settings(conversation_id, settings)

    def warm(self, conversation_id: str) -> None:
        self._service.warm(conversation_id, "draft " * self._choices.randrange(50))
        if self._choices.random() < 0.3:
            self._service.cool()

    def look(self, conversation_id: str) -> None:
        self._service.context_use(conversation_id, "draft").result(WAIT_S)
        self._service.open(conversation_id).result(WAIT_S)


def test_nothing_is_lost_whatever_comes_at_once(
    service: ChatService, generator: FakeGenerator
) -> None:
    generator.context_tokens = 1500
    busy = [Busy(number, service, generator) for number in range(THREADS)]
    threads = [threading.Thread(target=each.run) for each in busy]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for conversation_id in CONVERSATIONS:
        for turn in service.turns(conversation_id):
            turn.wait(WAIT_S)
        messages = service.open(conversation_id).result(WAIT_S).messages
        assert [message.role for message in messages] == ["user", "assistant"] * (
            len(messages) // 2
        )
        sent = [text for each in busy for where, text in each.sent if where == conversation_id]
        assert sorted(message.text for message in messages[::2]) == sorted(sent)
        assert "streaming" not in {message.state for message in messages}
