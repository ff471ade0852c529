"""Measures a model through the path the window uses, beside a bare loop in the same host.

Both run in turn, round after round, so that a machine that is busy for a moment slows both; what is
reported are medians, and the median of the rounds' own ratios.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle, islice
from statistics import median

from inference.client import EngineClient
from inference.errors import ModelNotLoaded
from inference.stream import Stream
from inference.types import (
    BareMeasured,
    ChatMessage,
    DeviceChoice,
    Finished,
    Loaded,
    Sampling,
    TextDelta,
)

PREFILL_TOKENS = (128, 512, 2048)
DECODE_TOKENS = (128, 2048)

_TEXT = (
    "the office opens at nine and the letters lie on the table near the window where a clerk reads"
    " every page before noon while the printer hums and somebody brings coffee"
)
_SAMPLE_WORDS = (50, 150)


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One measurement, such as decode@128, in tokens per second; `ratio` is ours by bare."""

    name: str
    tokens_per_s: float
    bare_tokens_per_s: float
    ratio: float


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What a machine does with a model.

    Attributes:
        ttft_s: From the request to its first text, with the shortest prompt and nothing cached.
        peak_bytes: The host's largest resident memory before any bare loop ran.
    """

    device: DeviceChoice
    threads: int
    versions: dict[str, str]
    load_s: float
    ttft_s: float
    peak_bytes: int
    results: tuple[BenchResult, ...]


@dataclass(frozen=True, slots=True)
class _Round:
    """Seconds of one prompt and its answer."""

    prompt_tokens: int
    ttft_s: float
    prefill_s: float
    decode_s: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class _Pair:
    ours: _Round
    bare: BareMeasured


def run_bench(
    client: EngineClient,
    *,
    on_status: Callable[[str], None] = lambda _text: None,
    rounds: int = 3,
    new_tokens: int = 64,
) -> BenchReport:
    """Measure the model that is loaded, or about to be; blocks for a minute or more.

    Args:
        client: Nothing else may use it meanwhile.
        on_status: Told what is going on.
        rounds: How often each size is measured.
        new_tokens: Length of each answer.

    Raises:
        InferenceError: The model cannot be loaded or run.
    """
    runner = _Runner(client, new_tokens)
    runner.fit()  # waits for the load as well
    loaded = client.loaded
    if loaded is None:
        raise ModelNotLoaded
    sizes = [size for size in PREFILL_TOKENS if size + 2 * new_tokens < loaded.context_tokens]
    peak_bytes = 0
    for size in sizes:
        on_status(f"warm-up, {size} tokens")
        peak_bytes = runner.ours(size).peak_bytes
    pairs: dict[int, list[_Pair]] = {size: [] for size in sizes}
    for number in range(rounds):
        for size in sizes:
            on_status(f"round {number + 1} of {rounds}, {size} tokens")
            pairs[size].append(runner.pair(size))
    return _report(loaded, pairs, peak_bytes=peak_bytes, new_tokens=new_tokens)


class _Runner:
    """Runs single measurements; every one has a session of its own, so nothing is cached."""

    def __init__(self, client: EngineClient, new_tokens: int) -> None:
        self._client = client
        self._new_tokens = new_tokens
        self._numbers = count()
        self._fixed_tokens = 0.0
        self._tokens_per_word = 1.0

    def fit(self) -> None:
        """Learn how many tokens a number of words makes with this tokenizer and template."""
        few, many = (self._ask(words, 1).prompt_tokens for words in _SAMPLE_WORDS)
        self._tokens_per_word = (many - few) / (_SAMPLE_WORDS[1] - _SAMPLE_WORDS[0])
        self._fixed_tokens = few - _SAMPLE_WORDS[0] * self._tokens_per_word

    def ours(self, prompt_tokens: int) -> _Round:
        """Measure one prompt of about `prompt_tokens` and its answer."""
        words = round((prompt_tokens - self._fixed_tokens) / self._tokens_per_word)
        return self._ask(max(1, words), self._new_tokens)

    def pair(self, prompt_tokens: int) -> _Pair:
        """Measure the same prompt length through our path and with the bare loop."""
        ours = self.ours(prompt_tokens)
        stream = Stream()
        self._client.bare_run(ours.prompt_tokens, self._new_tokens, sink=stream.put)
        bare = stream.wait()
        assert isinstance(bare, BareMeasured)  # noqa: S101 - how every bare run ends
        return _Pair(ours, bare)

    def _ask(self, words: int, new_tokens: int) -> _Round:
        text = " ".join(islice(cycle(_TEXT.split()), words))
        stream = Stream()
        with self._session() as session_id:
            began_s = time.perf_counter()
            self._client.submit(
                (ChatMessage("user", text),),
                session_id=session_id,
                sampling=Sampling(temperature=0, max_new_tokens=new_tokens),
                ignore_eos=True,
                sink=stream.put,
            )
            first_s = 0.0
            for event in stream:
                if isinstance(event, TextDelta) and not first_s:
                    first_s = time.perf_counter()
            ended_s = time.perf_counter()
        return _round(stream.result(), began_s, first_s or ended_s, ended_s)

    @contextmanager
    def _session(self) -> Iterator[str]:
        session_id = f"bench-{next(self._numbers)}"
        try:
            yield session_id
        finally:
            self._client.drop_session(session_id)


def _round(finished: Finished, began_s: float, first_s: float, ended_s: float) -> _Round:
    # A first token that is half a character shows later than it came: the host's own time is then
    # the longer one, and counts.
    return _Round(
        prompt_tokens=finished.prompt_tokens,
        ttft_s=first_s - began_s,
        prefill_s=finished.prefill_s,
        decode_s=max(finished.decode_s, ended_s - first_s),
        peak_bytes=finished.peak_bytes,
    )


def _report(
    loaded: Loaded, pairs: dict[int, list[_Pair]], *, peak_bytes: int, new_tokens: int
) -> BenchReport:
    results = [_prefill(size, pairs[size]) for size in pairs]
    results += [_decode(size, pairs[size], new_tokens) for size in DECODE_TOKENS if size in pairs]
    shortest = next(iter(pairs.values()), [])
    return BenchReport(
        device=loaded.device,
        threads=loaded.threads,
        versions=loaded.versions,
        load_s=loaded.load_s,
        ttft_s=median(pair.ours.ttft_s for pair in shortest) if shortest else 0.0,
        peak_bytes=peak_bytes,
        results=tuple(results),
    )


def _prefill(size: int, pairs: list[_Pair]) -> BenchResult:
    times = [(pair.ours.prefill_s, pair.bare.prefill_s) for pair in pairs]
    return _result(f"prefill@{size}", pairs[0].ours.prompt_tokens, times)


def _decode(size: int, pairs: list[_Pair], new_tokens: int) -> BenchResult:
    times = [(pair.ours.decode_s, pair.bare.decode_s) for pair in pairs]
    return _result(f"decode@{size}", new_tokens - 1, times)


def _result(name: str, tokens: int, times: list[tuple[float, float]]) -> BenchResult:
    return BenchResult(
        name=name,
        tokens_per_s=tokens / median(ours for ours, _ in times),
        bare_tokens_per_s=tokens / median(bare for _, bare in times),
        ratio=median(bare / ours for ours, bare in times),
    )
