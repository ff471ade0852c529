"""What a trial does in its child process: the real engine on the device, stage by stage."""

import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inference.agreement import Place
from inference.child import end_with_parent, hush
from inference.engine import genai, model_config, plugins
from inference.engine.protocol import Cache, Engine
from inference.errors import InferenceError
from inference.tokenizer import Tokenizer
from inference.trial import EVENTS, TASKS, Event, Refused, Stage, Step, Tried, TryDevice

TEXT = (
    "The meeting on Monday begins at nine. Please bring the figures for the last quarter, and tell"
    " the office by Friday if you cannot come. The agenda is:"
)

_PLACES = 8
_KEPT_IDS = 64
_MOST_DECODED = 256
# The first tokens of a device are slow and say little.
_LEAD_IN = 2


def serve(connection: Connection) -> int:
    """Run one trial, say how it went, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the parent's to handle
    hush()
    task: TryDevice = TASKS.decode(connection.recv_bytes())
    end_with_parent(connection)

    def send(event: Event) -> None:
        connection.send_bytes(EVENTS.encode(event))

    try:
        send(_try(task, lambda step: send(Stage(step))))
    except InferenceError as error:
        send(Refused(error.code, error.facts))
    return 0


def _try(task: TryDevice, begin: Callable[[Step], None]) -> Tried:
    folder = Path(task.folder)
    ids = Tokenizer.load(folder).encode_plain(TEXT)
    engine = _engine(task, folder, begin)
    begin("cache")
    config = model_config.read(folder)
    capacity = min(len(ids) + _PLACES + _MOST_DECODED, config.context_tokens)
    cache = engine.new_cache(capacity)
    begin("prefill")
    cache.append(ids)
    begin("first_token")
    places = [_place(cache, task, 0)]
    for index in range(1, _PLACES):
        # Along the processor's own answer, so that each place has the same text before it.
        along = task.expected[index - 1] if task.expected else places[-1]
        cache.append([along.likeliest])
        places.append(_place(cache, task, index))
    begin("decode")
    left = capacity - len(ids) - _PLACES
    return Tried(tuple(places), _tokens_per_s(cache, left, task.decode_s))


def place(logits: NDArray[np.float32], ids: tuple[int, ...] = ()) -> Place:
    """Return the distribution of float32[vocabulary], at `ids` or at its own likeliest."""
    scores = logits.astype(np.float64)
    top = float(scores.max())
    log_probs = scores - (top + np.log(np.exp(scores - top).sum()))
    kept = ids or tuple(int(each) for each in np.argsort(-scores)[:_KEPT_IDS])
    return Place(int(np.argmax(scores)), kept, tuple(float(log_probs[each]) for each in kept))


def _place(cache: Cache, task: TryDevice, index: int) -> Place:
    known = task.expected[index].ids if task.expected else ()
    return place(cache.logits()[0], known)


def _tokens_per_s(cache: Cache, most_tokens: int, limit_s: float) -> float:
    ends_s = [time.perf_counter()]
    while len(ends_s) <= most_tokens and ends_s[-1] - ends_s[0] < limit_s:
        cache.append([int(np.argmax(cache.logits()[0]))])
        ends_s.append(time.perf_counter())
    first = min(_LEAD_IN, len(ends_s) - 2)
    return (len(ends_s) - 1 - first) / (ends_s[-1] - ends_s[first]) if first >= 0 else 0.0


def _engine(task: TryDevice, folder: Path, begin: Callable[[Step], None]) -> Engine:
    begin("register")
    plugins.provide(task.target)
    begin("load")
    config = model_config.read(folder)
    return genai.GenaiEngine(folder, config, device=task.target, threads=task.threads)
