"""What a person waits while the engine has other work, and whether it idles while work waits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from statistics import median
from threading import Event

from inference.bench.asking import Asker, greedy
from inference.client import EngineClient
from inference.stream import Stream
from inference.types import ChatMessage, TextDelta
from inference.types import Event as Report

_TURN_TOKENS = 64
_ANSWER_TOKENS = 16
_BATCH_PROMPT_TOKENS = 512
_BATCH_ANSWER_TOKENS = 256
_QUEUE_LENGTH = 4
_QUEUE_ANSWER_TOKENS = 32
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class LanesReport:
    """Medians.

    Attributes:
        idle_first_s: From a chat turn to its first text while nothing else runs.
        busy_first_s: The same while a batch request reads its prompt or writes.
        added_s: The second less the first, median over the rounds.
        busy_share: Share of the time in which the engine computed while batch requests waited.
    """

    idle_first_s: float
    busy_first_s: float
    added_s: float
    busy_share: float


def run_lanes(
    client: EngineClient,
    *,
    on_status: Callable[[str], None] = lambda _text: None,
    rounds: int = _ROUNDS,
) -> LanesReport:
    """Measure the model that is loaded, or about to be; blocks for a minute or more.

    Raises:
        InferenceError: The model cannot be loaded or run.
    """
    asker = Asker(client)
    asker.fit()
    waits: list[tuple[float, float]] = []
    for number in range(rounds):
        on_status(f"a chat turn beside a batch, round {number + 1} of {rounds}")
        # While the batch reads its prompt in one round, and while it writes in the next.
        waits.append((_turn(asker), _turn_beside_batch(asker, writing=bool(number % 2))))
    on_status("a queue of batch requests")
    return LanesReport(
        idle_first_s=median(idle for idle, _ in waits),
        busy_first_s=median(busy for _, busy in waits),
        added_s=median(busy - idle for idle, busy in waits),
        busy_share=_busy_share(asker),
    )


def _turn(asker: Asker) -> float:
    message = ChatMessage("user", asker.text(_TURN_TOKENS))
    with asker.session() as session_id:
        return asker.ask(session_id, (message,), new_tokens=_ANSWER_TOKENS).first_s


def _turn_beside_batch(asker: Asker, *, writing: bool) -> float:
    stream, is_under_way = Stream(), Event()

    def put(event: Report) -> None:
        stream.put(event)
        if isinstance(event, TextDelta) or not writing:
            is_under_way.set()

    with asker.session() as session_id:
        batch = asker.client.submit(
            (ChatMessage("user", asker.text(_BATCH_PROMPT_TOKENS)),),
            session_id=session_id,
            sampling=greedy(_BATCH_ANSWER_TOKENS),
            lane="batch",
            ignore_eos=True,
            sink=put,
        )
        is_under_way.wait()
        waited_s = _turn(asker)
        batch.cancel()
        stream.wait()
    return waited_s


def _busy_share(asker: Asker) -> float:
    """Queue some batch requests at once; return their computing by the time they took together."""
    streams = [Stream() for _ in range(_QUEUE_LENGTH)]
    numbers = count()
    began_s = time.perf_counter()
    for stream in streams:
        asker.client.submit(
            (ChatMessage("user", f"{next(numbers)} {asker.text(_BATCH_PROMPT_TOKENS)}"),),
            session_id=f"bench-queue-{id(stream)}",
            sampling=greedy(_QUEUE_ANSWER_TOKENS),
            lane="batch",
            ignore_eos=True,
            sink=stream.put,
        )
    finished = [stream.result() for stream in streams]
    whole_s = time.perf_counter() - began_s
    for stream in streams:
        asker.client.drop_session(f"bench-queue-{id(stream)}")
    return sum(each.prefill_s + each.decode_s for each in finished) / whole_s
