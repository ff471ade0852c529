"""Conversations with the real host: a random model of a few kilobytes, and the starter."""

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.chat.service import ChatService
from app.chat.values import AnswerSettings, Overflow, TurnView
from app.children import command
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from app.settings import Settings
from app.store.database import Database
from inference import child
from inference.client import EngineClient
from inference.counting import Counter
from inference.gguf.importer import import_gguf
from inference.types import ChatMessage, Event, Sampling, is_last
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

ANSWER_S = 120.0
# Tokens that a draft's last word and the template behind it may take.
TAIL_TOKENS = 24
QUESTION = "Please tell me what the weather is like in the towns by the sea. " * 8

pytestmark = pytest.mark.engine


class Chat:
    """A conversation service on a real model."""

    def __init__(self, folder: Path, model: Path) -> None:
        self._places = Paths(folder / "data")
        shutil.copytree(model, self._places.models / "m")
        self.runner = ModelRunner(
            EngineClient(lambda: child.start(command("host"))),
            InstalledModels(self._places.models),
            self._places,
            lambda: Settings(model_id="m"),
            counter=Counter(),
        )
        self.service = ChatService(
            lambda: Database.open(folder / "snug.db", STORE_KEY),
            self.runner,
            FakeDocuments(),
            FakeClock(),
        )

    def close(self) -> None:
        self.service.close()
        self.runner.close()

    def choose(self, settings: AnswerSettings) -> None:
        self.service.set_answer_settings("c", settings).result(ANSWER_S)

    def ask(self, text: str) -> TurnView:
        return self.service.send("c", text).wait(ANSWER_S)

    def idle(self) -> None:
        """Return when everything is done that nobody waits for."""
        self.service.conversations().result(ANSWER_S)
        ended = threading.Event()

        def sink(event: Event) -> None:
            if is_last(event):
                ended.set()

        self.runner.submit(
            (ChatMessage("user", "Hi"),),
            session_id="idle",
            sampling=Sampling(max_new_tokens=1),
            sink=sink,
            lane="batch",
        )
        assert ended.wait(ANSWER_S)
        self.service.conversations().result(ANSWER_S)


@pytest.fixture
def chat_with(tmp_path: Path) -> Iterator[Callable[[Path], Chat]]:
    chats: list[Chat] = []

    def start(model: Path) -> Chat:
        chats.append(Chat(tmp_path, model))
        return chats[-1]

    yield start
    for chat in chats:
        chat.close()


def state_of(view: TurnView) -> str:
    assert view.message is not None
    return view.message.error_code or view.message.state


def read_tokens(view: TurnView) -> int:
    """Return how many tokens of a long prompt were left to read when it was sent."""
    assert view.message is not None
    metrics = view.message.metrics
    assert metrics is not None
    assert metrics.prompt_tokens > 100
    return metrics.prompt_tokens - metrics.cached_tokens


@pytest.mark.parametrize("overflow", ["drop", "summarize", "ask"])
def test_a_conversation_longer_than_the_window(
    chat_with: Callable[[Path], Chat], tiny_model: Path, overflow: Overflow
) -> None:
    chat = chat_with(tiny_model)
    settings = AnswerSettings(max_new_tokens=48, temperature=0.0, overflow=overflow)
    chat.choose(settings)
    views: list[TurnView] = []
    while not views or (not views[-1].first_seen_id and state_of(views[-1]) != "context_full"):
        views.append(chat.ask(f"{len(views)}. {QUESTION}"))
        chat.idle()
        assert len(views) < 40
    states = {state_of(view) for view in views}
    if overflow == "ask":
        assert state_of(views[-1]) == "context_full"
        chat.choose(AnswerSettings(max_new_tokens=48, temperature=0.0, overflow="drop"))
        view = chat.service.regenerate("c").wait(ANSWER_S)
        assert state_of(view) in ("complete", "length")
        assert view.first_seen_id != ""
        return
    assert states <= {"complete", "length"}
    assert bool(views[-1].running_summary) is (overflow == "summarize")
    opened = chat.service.open("c").result(ANSWER_S)
    assert opened.running_summary == views[-1].running_summary
    used = chat.service.context_use("c", "").result(ANSWER_S)
    assert used.used_tokens > 0
    # The last answer came after the cut: where it fills the window, the next question cuts again.
    assert used.is_cut_next is (used.used_tokens >= used.limit_tokens)
    assert used.used_tokens < used.limit_tokens + 2 * 48


def test_what_was_computed_ahead_is_not_computed_when_it_is_sent(
    chat_with: Callable[[Path], Chat], tiny_model: Path
) -> None:
    chat = chat_with(tiny_model)
    chat.choose(AnswerSettings(max_new_tokens=8))
    chat.ask("Hello")
    draft = QUESTION + "And why"
    chat.service.warm("c", draft)
    chat.idle()
    assert read_tokens(chat.ask(draft)) <= TAIL_TOKENS
    chat.idle()
    assert read_tokens(chat.ask("Short")) <= TAIL_TOKENS


@pytest.fixture
def thinking_model(tmp_path: Path) -> Path:
    """A random model whose chat template opens a thought, which it never closes."""
    template = CHAT_TEMPLATE.replace("{% endif %}", "{{ '<think>' }}{% endif %}")
    metadata = {"tokenizer.chat_template": template}
    write_tiny_gguf(tmp_path / "tiny.gguf", metadata=metadata)
    import_gguf(tmp_path / "tiny.gguf", tmp_path / "tiny", accuracy_level=1)
    return tmp_path / "tiny"


def test_a_thought_is_kept_and_never_told_again(
    chat_with: Callable[[Path], Chat], thinking_model: Path
) -> None:
    chat = chat_with(thinking_model)
    chat.choose(AnswerSettings(max_new_tokens=8, temperature=0.0))
    first, second = chat.ask(QUESTION), chat.ask(QUESTION)
    for view in (first, second):
        assert view.message is not None
        assert view.message.thought == view.thought != ""
        assert (view.message.text, view.message.state) == ("", "length")
        assert view.message.metrics is not None
    assert first.message is not None
    assert first.message.metrics is not None
    assert second.message is not None
    assert second.message.metrics is not None
    assert second.message.metrics.prompt_tokens == first.message.metrics.prompt_tokens
    assert chat.service.open("c").result(ANSWER_S).messages[1] == first.message


@pytest.mark.starter
def test_an_answer_at_its_limit_goes_on_in_its_place(
    chat_with: Callable[[Path], Chat], starter_model: Path
) -> None:
    chat = chat_with(starter_model)
    question = "Write two sentences about the sea."
    chat.choose(AnswerSettings(max_new_tokens=12, temperature=0.0))
    first = chat.ask(question)
    assert state_of(first) == "length"
    whole = chat.service.continue_answer("c").wait(ANSWER_S)
    assert whole.message is not None
    assert whole.message.metrics is not None
    assert whole.text.startswith(first.text)
    assert len(whole.text) > len(first.text)
    assert whole.message.metrics.generated_tokens > 12
    assert chat.service.open("c").result(ANSWER_S).messages[-1] == whole.message
