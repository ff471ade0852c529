"""How long a stop takes, at random moments of a prompt and of an answer.

    python -m tests.benchmarks.cancel MODEL_FOLDER [--rounds N] [--history TOKENS] [--seed N]

Two parts, each with as many rounds. Cold: a long prompt in a new session, stopped within its first
three seconds. Deep: a follow-up to a long history that is computed once, stopped within two
seconds, so in the prompt or in the answer. Prints the time from the call of `cancel` to the last
event, in milliseconds: median, 99th percentile, worst. The promise is 200 ms at the 99th.
"""

import argparse
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from app.children import command
from inference import child
from inference.client import EngineClient
from inference.stream import Stream
from inference.tokenizer import Tokenizer
from inference.types import (
    ChatMessage,
    Event,
    Finished,
    Loaded,
    Sampling,
    TextDelta,
    is_last,
)

_SENTENCE = "The office opens at nine and closes at five, and nobody may enter without a badge. "
_FRAME_TOKENS = 200


@dataclass(slots=True)
class Watch:
    """Takes the events of one request."""

    ended: threading.Event = field(default_factory=threading.Event)
    ended_s: float = 0.0
    has_text: bool = False
    last: Event | None = None

    def put(self, event: Event) -> None:
        """The sink."""
        self.has_text |= isinstance(event, TextDelta)
        if is_last(event):
            self.ended_s = time.perf_counter()
            self.last = event
            self.ended.set()


class Bench:
    """Stops requests of one client."""

    def __init__(self, client: EngineClient, folder: Path, chance: random.Random) -> None:
        self._client = client
        self._chance = chance
        self._sentence_tokens = len(Tokenizer.load(folder).encode_plain(_SENTENCE))
        self.took_ms: dict[str, list[float]] = {}

    def text(self, tokens: int) -> str:
        """Return a text of about so many tokens, unlike any before it from its start."""
        number = self._chance.randrange(10**6)
        return f"Case {number}. " + _SENTENCE * max(1, tokens // self._sentence_tokens)

    def cold(self, rounds: int, tokens: int) -> None:
        """Stop prompts that nothing is known of."""
        for number in range(rounds):
            text = self.text(self._chance.randint(500, tokens))
            self._stop("cold", (ChatMessage("user", text),), f"cold-{number}", 3.0)
            self._client.drop_session(f"cold-{number}")

    def deep(self, rounds: int, tokens: int) -> None:
        """Stop follow-ups to a long history."""
        history = (ChatMessage("user", self.text(tokens)), ChatMessage("assistant", "I see."))
        stream = Stream()
        self._client.prefill(history, session_id="deep", sink=stream.put)
        say(f"deep: {stream.wait()}")
        for _ in range(rounds):
            question = self.text(self._chance.randint(20, 150))
            self._stop("deep", (*history, ChatMessage("user", question)), "deep", 2.0)

    def _stop(
        self, part: str, messages: tuple[ChatMessage, ...], session_id: str, within_s: float
    ) -> None:
        watch = Watch()
        handle = self._client.submit(
            messages,
            session_id=session_id,
            sampling=Sampling(temperature=0, max_new_tokens=100),
            ignore_eos=True,
            sink=watch.put,
        )
        if watch.ended.wait(self._chance.uniform(0, within_s)):
            return  # there was nothing left to stop
        stage = "answer" if watch.has_text else "prompt"
        began_s = time.perf_counter()
        handle.cancel()
        watch.ended.wait()
        if isinstance(watch.last, Finished) and watch.last.reason == "cancelled":
            took_ms = (watch.ended_s - began_s) * 1000
            self.took_ms.setdefault(f"{part} {stage}", []).append(took_ms)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--history", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    client = EngineClient(lambda: child.start(command("host")))
    try:
        loading = Stream()
        client.load(options.folder, sink=loading.put)
        loaded = loading.wait()
        assert isinstance(loaded, Loaded)
        say(f"{loaded.device.name}, {loaded.threads} threads, {loaded.context_tokens} tokens")
        tokens = min(options.history, loaded.context_tokens - 3 * _FRAME_TOKENS)
        bench = Bench(client, options.folder, random.Random(options.seed))  # noqa: S311 - moments, no secrets
        bench.cold(options.rounds, tokens)
        report(bench.took_ms)
        bench.deep(options.rounds, tokens)
        report(bench.took_ms)
    finally:
        client.close()


def say(text: str) -> None:
    """Print a line."""
    print(text, flush=True)  # noqa: T201 - what the command is for


def report(took_ms: dict[str, list[float]]) -> None:
    """Print a line for each part and one for all."""
    together = [each for times in took_ms.values() for each in times]
    for name, times in [*sorted(took_ms.items()), ("all", together)]:
        ordered = sorted(times)
        middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
        say(
            f"{name:12} {len(ordered):4} stops: median {middle:6.1f}  p99 {late:6.1f}"
            f"  worst {ordered[-1]:6.1f} ms"
        )


if __name__ == "__main__":
    main()
