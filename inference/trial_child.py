"""What a trial does in its child process: the real engine on the device, stage by stage."""

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from inference import agreement, devices
from inference.agreement import Place
from inference.engine import device_reasons, genai, model_config
from inference.engine.protocol import Cache, Engine
from inference.errors import DeviceUnavailable, InferenceError
from inference.tokenizer import Tokenizer
from inference.trial import EVENTS, TASKS, Event, Refused, Stage, Step, Tried, TryDevice
from inference.types import DeviceChoice

TEXT = (
    "The meeting on Monday begins at nine. Please bring the figures for the last quarter, and tell"
    " the office by Friday if you cannot come. The agenda is:"
)

_PLACES = 8
_MOST_DECODED = 256
# The first tokens of a device are slow and say little.
_LEAD_IN = 2


def serve(connection: Connection) -> int:
    """Run one trial, say how it went, and end."""
    task: TryDevice = TASKS.decode(connection.recv_bytes())

    def send(event: Event) -> None:
        connection.send_bytes(EVENTS.encode(event))

    try:
        send(_try(task, lambda step: send(Stage(step))))
    except InferenceError as error:
        send(Refused(error.code, error.facts))
    except (RuntimeError, ValueError, MemoryError) as error:  # as the binding raises them
        reason = device_reasons.reason(str(error))
        send(Refused(DeviceUnavailable.code, {"device": task.target.kind, "reason": reason}))
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


def _place(cache: Cache, task: TryDevice, index: int) -> Place:
    known = task.expected[index].ids if task.expected else ()
    return agreement.place(cache.logits()[0], known)


def _tokens_per_s(cache: Cache, most_tokens: int, limit_s: float) -> float:
    began_s = time.perf_counter()
    lead_in_s, done = began_s, 0
    while done < most_tokens and time.perf_counter() - began_s < limit_s:
        cache.append([int(np.argmax(cache.logits()[0]))])
        done += 1
        if done == _LEAD_IN:
            lead_in_s = time.perf_counter()
    counted = done - _LEAD_IN
    return counted / (time.perf_counter() - lead_in_s) if counted > 0 else 0.0


def _engine(task: TryDevice, folder: Path, begin: Callable[[Step], None]) -> Engine:
    target = task.target
    begin("register")
    devices.admit_software()
    if target.library:
        name = "plugin" + (".virtual" if target.is_virtual else "")
        genai.og.register_execution_provider_library(name, target.library)
    begin("load")
    device = DeviceChoice(target.kind, target.provider, target.name)
    return genai.GenaiEngine(folder, model_config.read(folder), device=device, threads=task.threads)
