"""Passages with the real starter: what all have in common is read once, and a chat goes first."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.children import command
from app.documents.evidence import Evidence
from app.documents.prompts import Prompts, prompts_for
from app.documents.writer import Writer
from app.models.installed import InstalledModels
from app.models.runner import ModelRunner
from app.paths import Paths
from app.settings import Settings
from inference import child
from inference.client import EngineClient
from inference.counting import Counter
from inference.stream import Stream
from inference.types import ChatMessage, Sampling

ANSWER_S = 120.0
TEXTS = (
    "Readers may keep books for four weeks and films for one week.",
    "The library takes a fee of 2 euros for each week that a book is late.",
    "Children under 12 years do not pay a fee for late books.",
)
# The template opens the next message behind the examples, and a token may be computed again.
TAIL_TOKENS = 8

pytestmark = pytest.mark.engine


@pytest.fixture
def runner(starter_model: Path, tmp_path: Path) -> Iterator[ModelRunner]:
    made = ModelRunner(
        EngineClient(lambda: child.start(command("host"))),
        InstalledModels(starter_model.parent),
        Paths(tmp_path / "data"),
        Settings,
        counter=Counter(),
    )
    made.select("starter", accept_memory=True)
    yield made
    made.close()


@pytest.fixture
def prompts() -> Prompts:
    found = prompts_for("en")
    assert found
    return found


def evidence(text: str) -> Evidence:
    return Evidence(text=text, shown=text, page=1, section="", heading="", passage=(text,))


def cached_per_point(writer: Writer) -> list[int]:
    cached, before = [], 0
    for _ in writer.main_points("Library rules", [evidence(text) for text in TEXTS]):
        cached.append(writer.usage.cached_tokens - before)
        before = writer.usage.cached_tokens
    return cached


def test_instructions_and_examples_are_read_once_for_all_documents(
    runner: ModelRunner, prompts: Prompts
) -> None:
    head_tokens = runner.count_tokens(prompts.head) - TAIL_TOKENS
    first = cached_per_point(Writer(runner, prompts, cancelled=threading.Event()))
    other = Writer(runner, prompts, cancelled=threading.Event())
    other.about("Library rules", TEXTS)
    again = cached_per_point(other)
    assert first[0] == 0
    assert min(*first[1:], *again) >= head_tokens > 100


def test_a_question_is_answered_between_two_passages(runner: ModelRunner, prompts: Prompts) -> None:
    writer = Writer(runner, prompts, cancelled=threading.Event())
    points = writer.main_points("Library rules", [evidence(text) for text in TEXTS * 3])
    next(points)
    stream = Stream()
    runner.submit(
        (ChatMessage("user", "Hello"),),
        session_id="chat",
        sampling=Sampling(temperature=0, max_new_tokens=3),
        sink=stream.put,
    )
    stream.result(ANSWER_S)
    written = writer.usage.generated_tokens
    assert len(list(points)) == len(TEXTS) * 3 - 1
    assert writer.usage.generated_tokens > written
