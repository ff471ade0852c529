"""Prompts of a wanted length, and the times of their answers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle, islice

from inference.client import EngineClient
from inference.errors import ModelNotLoaded
from inference.stream import Stream
from inference.types import ChatMessage, Finished, Lane, Loaded, Sampling, TextDelta

_TEXT = (
    "the office opens at nine and the letters lie on the table near the window where a clerk reads"
    " every page before noon while the printer hums and somebody brings coffee"
)
_SAMPLE_WORDS = (50, 150)


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer.

    Attributes:
        first_s: From the request to the first text, or to the end where none came.
        whole_s: From the request to the end.
    """

    finished: Finished
    text: str
    first_s: float
    whole_s: float

    @property
    def decode_s(self) -> float:
        """Seconds from the first token to the last, as the host or whoever reads saw it.

        A first token that is half a character shows later than it came: the host's own time is then
        the longer one, and counts.
        """
        return max(self.finished.decode_s, self.whole_s - self.first_s)


class Asker:
    """Asks a model of one client; nothing else may use the client meanwhile.

    Every session has a name of its own, so that nothing is in a cache unless it was put there.
    """

    def __init__(self, client: EngineClient) -> None:
        self.client = client
        self._numbers = count()
        self._fixed_tokens = 0.0
        self._tokens_per_word = 1.0

    def fit(self) -> Loaded:
        """Wait for the model and learn how many tokens a number of words makes with it.

        Raises:
            InferenceError: The model cannot be loaded or run.
        """
        few, many = (self._prompt_tokens(words) for words in _SAMPLE_WORDS)
        self._tokens_per_word = (many - few) / (_SAMPLE_WORDS[1] - _SAMPLE_WORDS[0])
        self._fixed_tokens = few - _SAMPLE_WORDS[0] * self._tokens_per_word
        loaded = self.client.loaded
        if loaded is None:
            raise ModelNotLoaded
        return loaded

    def text(self, tokens: int, *, with_template: bool = True) -> str:
        """Return words that make about `tokens` as a first message, or by themselves."""
        wanted = tokens - (self._fixed_tokens if with_template else 0)
        return words(max(1, round(wanted / self._tokens_per_word)))

    @contextmanager
    def session(self) -> Iterator[str]:
        """Give the name of a new session; its cache is given back at the end."""
        session_id = f"bench-{next(self._numbers)}"
        try:
            yield session_id
        finally:
            self.client.drop_session(session_id)

    def ask(
        self,
        session_id: str,
        messages: tuple[ChatMessage, ...],
        *,
        new_tokens: int,
        lane: Lane = "interactive",
    ) -> Timed:
        """Ask greedily for exactly `new_tokens` and wait for the end."""
        stream = Stream()
        began_s = time.perf_counter()
        self.client.submit(
            messages,
            session_id=session_id,
            sampling=greedy(new_tokens),
            lane=lane,
            ignore_eos=True,
            sink=stream.put,
        )
        first_s = 0.0
        for event in stream:
            if isinstance(event, TextDelta) and not first_s:
                first_s = time.perf_counter()
        ended_s = time.perf_counter()
        finished = stream.result()
        return Timed(finished, stream.text, (first_s or ended_s) - began_s, ended_s - began_s)

    def _prompt_tokens(self, number: int) -> int:
        with self.session() as session_id:
            asked = self.ask(session_id, (ChatMessage("user", words(number)),), new_tokens=1)
        return asked.finished.prompt_tokens


def words(number: int) -> str:
    """Return `number` words of an ordinary text."""
    return " ".join(islice(cycle(_TEXT.split()), number))


def greedy(new_tokens: int) -> Sampling:
    """Return how every answer of a measurement is drawn."""
    return Sampling(temperature=0, max_new_tokens=new_tokens)
