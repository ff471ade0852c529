"""What every generation of the runtime must do with a model; needs no test package.

Run as a program, it does all of it with the runtime of the Python that runs it:
`python exercise.py MODEL_FOLDER LOGITS.npz all`, or only what is compared: `... logits`.
The path of the WebGPU plug-in behind that has it run there.
"""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from inference.engine import model_config
from inference.engine.genai import GenaiEngine, versions
from inference.engine.protocol import Cache, Logits
from inference.types import DeviceTarget

ROOT = Path(__file__).parents[3]
TOLERANCE = 1e-3
PROCESSOR = DeviceTarget("cpu", "CPUExecutionProvider", "processor")
CAPACITY_TOKENS = 480
_BEFORE = 64
_STEPS = 80


def load(folder: Path, *, device: DeviceTarget = PROCESSOR, threads: int = 1) -> GenaiEngine:
    return GenaiEngine(
        folder, model_config.read(folder), device=device, threads=threads, spins=False
    )


def pause(seconds: float) -> None:
    """Let time pass in which this thread computes nothing."""
    threading.Event().wait(seconds)


def some_ids(folder: Path, count: int = 400) -> list[int]:
    """Return the same ids of the model's vocabulary each time."""
    vocab_size = model_config.read(folder).vocab_size
    return [int(each) for each in np.random.default_rng(7).integers(20, vocab_size - 8, count)]


def apart(left: Logits, right: Logits) -> float:
    """Return the largest difference of two sets of logits."""
    assert left.shape == right.shape, (left.shape, right.shape)
    return float(np.abs(left - right).max())


@contextmanager
def interrupts(engine: GenaiEngine, *, after_s: float) -> Iterator[None]:
    """Interrupt from another thread, after a time and then on and on, while the body runs."""
    is_over = threading.Event()

    def interrupt() -> None:
        is_over.wait(after_s)
        while not is_over.is_set():
            engine.interrupt()
            is_over.wait(0.001)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def check_an_interrupted_append_leaves_nothing(engine: GenaiEngine, ids: list[int]) -> None:
    cache = engine.new_cache(CAPACITY_TOKENS)
    assert cache.append(ids[:_BEFORE])
    ended = 0
    for after_s in (0.0, 0.002, 0.004, 0.01, 0.02):
        with interrupts(engine, after_s=after_s):
            is_added = cache.append(ids[_BEFORE:])
        if is_added:  # they came too late
            cache.rewind(_BEFORE)
        ended += not is_added
    assert ended > 0
    assert cache.append(ids[_BEFORE:])

    fresh = engine.new_cache(CAPACITY_TOKENS)
    assert fresh.append(ids[:_BEFORE])
    assert fresh.append(ids[_BEFORE:])
    assert apart(cache.logits(), fresh.logits()) == 0


def check_interrupts_between_calls_do_nothing(engine: GenaiEngine, ids: list[int]) -> None:
    cache = engine.new_cache(CAPACITY_TOKENS)
    engine.interrupt()
    assert cache.append(ids[:8])
    engine.interrupt()
    assert cache.append(ids[8:9])
    assert apart(cache.logits(), stepped(engine.new_cache(CAPACITY_TOKENS), ids[:9], 8)) == 0


def check_any_moment_is_right_for_an_interrupt(engine: GenaiEngine, ids: list[int]) -> None:
    """One a token, after a time that differs; it may hit a call, its repetition or neither."""
    delays_s: SimpleQueue[float | None] = SimpleQueue()
    never = threading.Event()

    def interrupt() -> None:
        while (delay_s := delays_s.get()) is not None:
            never.wait(delay_s)
            engine.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    cache = engine.new_cache(CAPACITY_TOKENS)
    interrupted = 0
    for index, token in enumerate(ids[:_STEPS]):
        delays_s.put(index % 7 * 0.0003)
        while not cache.append([token]):
            interrupted += 1
    delays_s.put(None)
    thread.join()
    plain = engine.new_cache(CAPACITY_TOKENS)

    assert interrupted > 0
    assert apart(cache.logits(), stepped(plain, ids[:_STEPS], 1)) == 0


def check_rewinding(engine: GenaiEngine, ids: list[int]) -> None:
    cache = engine.new_cache(CAPACITY_TOKENS)
    assert cache.append(ids[:60])
    assert cache.append(ids[60:100])
    cache.rewind(60)
    assert cache.append(ids[200:240])
    other = engine.new_cache(CAPACITY_TOKENS)
    assert other.append(ids[:60])
    assert other.append(ids[200:240])

    assert apart(cache.logits(), other.logits()) == 0


def check_drafts_can_be_verified(engine: GenaiEngine, ids: list[int]) -> None:
    assert engine.verify_tokens > 4
    cache = engine.new_cache(CAPACITY_TOKENS)
    assert cache.append(ids[:100])
    together = cache.logits(4)
    assert together.shape[0] == 4
    assert apart(together[-1:], cache.logits()) == 0


def stepped(cache: Cache, ids: list[int], first: int) -> Logits:
    assert cache.append(ids[:first])
    for token in ids[first:]:
        assert cache.append([token])
    return cache.logits()


CHECKS = (
    check_an_interrupted_append_leaves_nothing,
    check_interrupts_between_calls_do_nothing,
    check_any_moment_is_right_for_an_interrupt,
    check_rewinding,
    check_drafts_can_be_verified,
)


def reference(engine: GenaiEngine, ids: list[int]) -> dict[str, Logits]:
    """Return logits to compare between runtimes: of a prompt, drafts, and a step after it."""
    cache = engine.new_cache(CAPACITY_TOKENS)
    assert cache.append(ids[:64])
    prompt, drafts = cache.logits(), cache.logits(4)
    assert cache.append(ids[64:65])
    return {"prompt": prompt, "drafts": drafts, "step": cache.logits()}


def main(folder: Path, result: Path, checks: str, webgpu: str = "") -> None:
    device = DeviceTarget("gpu", "WebGpuExecutionProvider", "a GPU", library=webgpu)
    engine = load(folder, device=device if webgpu else PROCESSOR)
    ids = some_ids(folder)
    if checks == "all":
        for check in CHECKS:
            check(engine, ids)
        prefill_s, decode_s = engine.bare_run(16, 4)
        assert prefill_s > 0 < decode_s
    logits = reference(engine, ids)
    np.savez(result, prompt=logits["prompt"], drafts=logits["drafts"], step=logits["step"])
    sys.stdout.write(json.dumps(versions()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
