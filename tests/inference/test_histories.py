"""Any history of a conversation leaves the next-token logits of a fresh run over the same ids.

Sixty random histories in the normal run; more by a variable:

    SNUG_HISTORIES=1000 pytest tests/inference/test_histories.py

A history is one number, from which everything in it follows; a failure names it. Caches are small
here and chunks of random length, so that what is rare in real life happens all the time.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from inference import model, session
from inference.ahead import Ahead
from inference.answer import Answer
from inference.engine.protocol import Cache, Engine, Logits
from inference.model import Model
from inference.pace import Pace
from inference.sessions import Sessions
from inference.types import (
    ChatMessage,
    Event,
    Finished,
    GenerationRequest,
    LoadModel,
    Prefill,
    Prefilled,
    Sampling,
    TextDelta,
)

pytestmark = pytest.mark.engine

HISTORIES = int(os.environ.get("SNUG_HISTORIES", "60"))
TOLERANCE = 1e-3
WORDS = ["the", "of", "hot", "water", "came", "first", "number", "line", "sound", "people"]


class Interrupted:
    """An engine whose steps are ended early now and then."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.chance = random.Random(0)  # noqa: S311 - what happens, not a secret
        self.share = 0.0

    @property
    def verify_tokens(self) -> int:
        return self._engine.verify_tokens

    def new_cache(self, capacity_tokens: int) -> "InterruptedCache":
        return InterruptedCache(self, self._engine.new_cache(capacity_tokens))

    def interrupt(self) -> None:
        self._engine.interrupt()

    def bare_run(self, prompt_tokens: int, new_tokens: int) -> tuple[float, float]:
        return self._engine.bare_run(prompt_tokens, new_tokens)


@dataclass
class InterruptedCache:
    engine: Interrupted
    cache: Cache

    @property
    def capacity_tokens(self) -> int:
        return self.cache.capacity_tokens

    def append(self, ids: Sequence[int]) -> bool:
        is_interrupted = self.engine.chance.random() < self.engine.share
        return not is_interrupted and self.cache.append(ids)

    def rewind(self, length: int) -> None:
        self.cache.rewind(length)

    def logits(self, positions: int = 1) -> Logits:
        return self.cache.logits(positions)


class RandomPace(Pace):
    """Chunks of any length."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(1000)
        self._chance = chance

    def next_tokens(self, left: int) -> int:
        return min(left, self._chance.randint(1, 40))


@pytest.fixture(scope="module")
def loaded(tiny_model: Path) -> Iterator[Model]:
    loaded, _ = model.load(LoadModel(1, str(tiny_model)))
    yield loaded
    loaded.close()


@pytest.fixture
def small_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_LEAST_CAPACITY_TOKENS", 64)
    monkeypatch.setattr(session, "QUESTION_TOKENS", 24)
    monkeypatch.setattr(session, "_CHEAP_TOKENS", 8)
    monkeypatch.setattr(session, "_BEGINNING_TOKENS", 4)


class History:
    """Two conversations that share their beginning, and what a person may do with them."""

    def __init__(self, loaded: Model, number: int) -> None:
        self._chance = random.Random(number)  # noqa: S311 - what happens, not a secret
        self._engine = Interrupted(loaded.engine)
        self._engine.chance = self._chance
        self._fresh = loaded.engine
        pace = RandomPace(self._chance)
        self._model = Model(
            **{
                name: getattr(loaded, name)
                for name in loaded.__dataclass_fields__
                if name not in ("engine", "sessions", "pace")
            },
            engine=self._engine,
            pace=pace,
            sessions=Sessions(
                self._engine,
                context_tokens=1024,
                budget_bytes=self._chance.choice([300, 1200, 9000]),
                token_bytes=1,
                pace=pace,
            ),
        )
        self._conversations: dict[str, list[ChatMessage]] = {"a": [], "b": []}
        self._id = "a"
        self.did: list[str] = []

    def run(self) -> None:
        """Do a few things, and look at the logits after each."""
        actions: list[Callable[[], None]] = [
            self.send,
            self.send,
            self.send,
            self.regenerate,
            self.edit,
            self.branch,
            self.compute_ahead,
            self.grow,
            self.evict,
        ]
        for _ in range(self._chance.randint(4, 12)):
            self._engine.share = self._chance.choice([0.0, 0.0, 0.3])
            action = self._chance.choice(actions)
            self.did.append(action.__name__)
            action()
            self._engine.share = 0.0
            for session_id in self._conversations:
                self.check(session_id)

    def send(self) -> None:
        self._messages.append(self._question())
        self._answer()

    def regenerate(self) -> None:
        if self._messages:
            self._messages.pop()
            self._answer()

    def edit(self) -> None:
        """Write an earlier question anew; what followed is gone."""
        if self._messages:
            turn = self._chance.randrange(0, len(self._messages), 2)
            self._messages[turn:] = [self._question()]
            self._answer()

    def branch(self) -> None:
        """Go on in the other conversation, from somewhere in this one."""
        turns = self._chance.randint(0, len(self._messages) // 2)
        kept = self._messages[: 2 * turns]
        self._id = "b" if self._id == "a" else "a"
        if self._chance.random() < 0.5:
            self._conversations[self._id] = kept

    def compute_ahead(self) -> None:
        messages = list(self._messages)
        if self._chance.random() < 0.7:
            messages.append(self._question())
        events: list[Event] = []
        ahead = Ahead(
            self._model,
            Prefill(1, self._id, tuple(messages)),
            send=events.append,
            is_cancelled=self._stop(),
        )
        while not ahead.step():
            pass
        assert isinstance(events[-1], Prefilled)

    def grow(self) -> None:
        """Grow in idle time, and be disturbed."""
        sessions = self._model.sessions
        sessions.release(self._id, goes_on=True)
        for _ in range(self._chance.choice([1, 3, 10, 40])):
            if not sessions.grow():
                break

    def evict(self) -> None:
        self._model.sessions.drop(self._chance.choice("ab"))

    def check(self, session_id: str) -> None:
        """Compare the logits behind some more ids with those of a fresh run."""
        session = self._model.sessions.get(session_id)
        ids = list(session.ids)
        if not ids or not session.cache_tokens:
            return
        following = self._model.tokenizer.encode("<|im_end|>\n")
        if len(ids) + len(following) > session.cache_tokens:
            # No room to look behind it without growing: look at its last id instead.
            following = [ids.pop()]
            session.rewind(len(ids))
        assert session.append(following)
        fresh = self._fresh.new_cache(len(ids) + len(following))
        fresh.append([*ids, *following])
        difference = float(np.abs(session.logits() - fresh.logits()).max())
        session.rewind(len(ids))
        assert difference <= TOLERANCE, (difference, self.did)

    @property
    def _messages(self) -> list[ChatMessage]:
        return self._conversations[self._id]

    def _question(self) -> ChatMessage:
        count = self._chance.choice([1, 2, 5, 12])
        return ChatMessage("user", " ".join(self._chance.choices(WORDS, k=count)))

    def _answer(self) -> None:
        """Have the conversation answered, or cut it where it does not fit."""
        sampling = Sampling(
            temperature=self._chance.choice([0, 0.8]),
            seed=self._chance.randint(0, 1000),
            max_new_tokens=self._chance.choice([1, 4, 12, 40]),
        )
        request = GenerationRequest(
            1, self._id, tuple(self._messages), sampling, drafts=self._chance.random() < 0.5
        )
        if len(self._model.prompts.build(request.messages)) > 900:
            self._messages.clear()
            return
        sessions = self._model.sessions
        sessions.hold(self._id)
        events: list[Event] = []
        answer = Answer(
            self._model,
            request,
            arrived_s=0.0,
            send=events.append,
            is_cancelled=self._stop(),
        )
        while not answer.step():
            pass
        sessions.release(self._id, goes_on=self._chance.random() < 0.8)
        assert isinstance(events[-1], Finished)
        assert sum(isinstance(event, Finished) for event in events) == 1
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        self._messages.append(ChatMessage("assistant", text))
        if self._chance.random() < 0.5:
            self.grow()

    def _stop(self) -> Callable[[], bool]:
        """Return what stops a request after a number of steps, or never."""
        left = self._chance.choice([None, None, self._chance.randint(0, 12)])

        def is_cancelled() -> bool:
            nonlocal left
            if left is None:
                return False
            left -= 1
            return left < 0

        return is_cancelled


@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("small_caches")
def test_any_history_leaves_the_logits_of_a_fresh_run(loaded: Model) -> None:
    for number in range(HISTORIES):
        history = History(loaded, number)
        try:
            history.run()
        except BaseException as error:
            error.add_note(f"history {number}: {', '.join(history.did)}")
            raise
