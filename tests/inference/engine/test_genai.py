"""The engine with the runtime that is installed here."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from inference.engine import model_config
from inference.engine.capi import Generator
from inference.engine.genai import GenaiEngine
from inference.engine.restarting import RestartingCache
from inference.errors import ContextOverflow, DeviceUnavailable, InferenceError
from inference.types import DeviceTarget
from tests.inference.engine import exercise

pytestmark = pytest.mark.engine

Check = Callable[[GenaiEngine, list[int]], None]


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> GenaiEngine:
    return exercise.load(tiny_model)


@pytest.fixture(scope="module")
def starter(starter_model: Path) -> GenaiEngine:
    return exercise.load(starter_model)


@pytest.mark.parametrize("check", exercise.CHECKS, ids=lambda check: check.__name__)
def test_the_tiny_model(check: Check, tiny: GenaiEngine, tiny_model: Path) -> None:
    check(tiny, exercise.some_ids(tiny_model))


@pytest.mark.starter
@pytest.mark.parametrize("check", exercise.CHECKS, ids=lambda check: check.__name__)
def test_the_starter(check: Check, starter: GenaiEngine, starter_model: Path) -> None:
    check(starter, exercise.some_ids(starter_model))


@pytest.mark.starter
def test_an_interrupt_ends_a_long_append_early(starter: GenaiEngine, starter_model: Path) -> None:
    ids = exercise.some_ids(starter_model)
    cache = starter.new_cache(exercise.CAPACITY_TOKENS)
    began_s = time.perf_counter()
    assert cache.append(ids)
    whole_s = time.perf_counter() - began_s
    cache.rewind(0)
    with exercise.interrupts(starter, after_s=whole_s / 10):
        began_s = time.perf_counter()
        assert not cache.append(ids)

    assert time.perf_counter() - began_s < whole_s / 2


@pytest.mark.starter
def test_another_thread_goes_on_while_the_model_computes(
    starter: GenaiEngine, starter_model: Path
) -> None:
    """The lock is released: a bound call would let nobody else count before it is over."""
    counted: list[int] = []
    cache = starter.new_cache(exercise.CAPACITY_TOKENS)
    original, starter.interrupt = starter.interrupt, lambda: counted.append(1)  # type: ignore[method-assign]
    try:
        with exercise.interrupts(starter, after_s=0):
            assert cache.append(exercise.some_ids(starter_model))
            during = len(counted)
    finally:
        starter.interrupt = original  # type: ignore[method-assign]

    assert during > 5


def test_logits_belong_to_what_was_appended_last(tiny: GenaiEngine) -> None:
    cache = tiny.new_cache(64)
    with pytest.raises(RuntimeError, match="before anything"):
        cache.logits()
    cache.append([21, 22, 23])
    assert cache.logits().shape[0] == 1
    cache.rewind(2)
    with pytest.raises(RuntimeError, match="before anything"):
        cache.logits()


def test_logits_stay_when_the_sequence_goes_on(tiny: GenaiEngine) -> None:
    cache = tiny.new_cache(64)
    cache.append([21, 22, 23])
    kept = cache.logits()
    copied = kept.copy()
    cache.append([24])
    del cache

    assert (kept == copied).all()
    assert kept.dtype == np.float32


def test_what_does_not_fit_is_not_added(tiny: GenaiEngine) -> None:
    cache = tiny.new_cache(16)
    cache.append(range(20, 30))

    with pytest.raises(ContextOverflow) as caught:
        cache.append(range(20, 30))

    assert caught.value.facts == {"needed_tokens": 20, "limit_tokens": 16}
    assert cache.append([30])


def test_without_a_shared_buffer_an_interrupt_waits(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    file = folder / model_config.FILE_NAME
    described = json.loads(file.read_text())
    described["search"]["past_present_share_buffer"] = False
    file.write_text(json.dumps(described))
    engine = exercise.load(folder)
    cache = engine.new_cache(exercise.CAPACITY_TOKENS)

    with exercise.interrupts(engine, after_s=0):
        assert cache.append(exercise.some_ids(folder))


@pytest.mark.parametrize("spins", [True, False])
def test_threads_wait_spinning_only_where_they_may(tiny_model: Path, *, spins: bool) -> None:
    config = model_config.read(tiny_model)
    engine = GenaiEngine(tiny_model, config, device=exercise.PROCESSOR, threads=4, spins=spins)
    cache = engine.new_cache(exercise.CAPACITY_TOKENS)
    cache.append(exercise.some_ids(tiny_model, 200))
    used_s = 0.0
    for token in range(20, 30):
        cache.append([token])
        began_s = time.process_time()
        exercise.pause(0.02)
        used_s += time.process_time() - began_s

    assert (used_s > 0.03) == spins


def test_the_processor_says_that_it_computes(tiny: GenaiEngine) -> None:
    assert tiny.device_type == "CPU"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (
            DeviceTarget("gpu", "WebGpuExecutionProvider", "a GPU", library="/nowhere/webgpu.so"),
            "its plug-in could not be loaded",
        ),
        (
            DeviceTarget("npu", "QNNExecutionProvider", "an NPU", options={"backend_type": "htp"}),
            "its plug-in is missing or found no device",
        ),
        (
            DeviceTarget("gpu", "NobodysExecutionProvider", "a GPU"),
            "this installation of Snug has no support for it",
        ),
    ],
    ids=["no plug-in file", "no plug-in", "unknown"],
)
def test_a_device_that_is_not_there_says_why(
    target: DeviceTarget, reason: str, tiny_model: Path
) -> None:
    with pytest.raises(DeviceUnavailable) as caught:
        exercise.load(tiny_model, device=target)

    assert caught.value.facts == {"device": target.kind, "reason": reason}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("genai_config.json", b"{", "model_damaged"),
        ("model.onnx", b"", "model_damaged"),
        ("model.onnx", b"<html>not found</html>", "model_damaged"),
        ("model.onnx.data", b"short", "model_damaged"),
        ("model.onnx.data", None, "model_missing"),
        ("model.onnx", None, "model_missing"),
    ],
)
def test_a_damaged_folder_is_no_fault_of_a_device(
    name: str, content: bytes | None, code: str, tiny_model: Path, tmp_path: Path
) -> None:
    config = model_config.read(tiny_model)
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)

    with pytest.raises(InferenceError) as caught:
        GenaiEngine(folder, config, device=exercise.PROCESSOR, threads=1)

    assert caught.value.code == code


@pytest.mark.skipif(sys.platform == "win32", reason="memory cannot be limited")
def test_a_cache_beyond_memory_is_out_of_memory(tiny_model: Path) -> None:
    probe = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from inference.errors import OutOfMemory\n"
        "from tests.inference.engine import exercise\n"
        "engine = exercise.load(Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))\n"
        "caches = []\n"
        "try:\n"
        "    for _ in range(10_000):\n"
        "        caches.append(engine.new_cache(exercise.CAPACITY_TOKENS))\n"
        "except OutOfMemory as error:\n"
        "    sys.exit(7)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, str(tiny_model)], cwd=exercise.ROOT, timeout=60, check=False
    )
    assert done.returncode == 7


def test_a_process_that_still_holds_a_model_ends_cleanly(tiny_model: Path) -> None:
    probe = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.inference.engine import exercise\n"
        "engine = exercise.load(Path(sys.argv[1]))\n"
        "cache = engine.new_cache(64)\n"
        "cache.append([21, 22])\n"
        "kept = cache.logits()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, str(tiny_model)],
        cwd=exercise.ROOT,
        timeout=60,
        check=True,
        capture_output=True,
    )
    assert done.stderr == b""


def test_a_device_that_cannot_continue_gives_the_same_logits(
    tiny: GenaiEngine, tiny_model: Path
) -> None:
    """The processor plays it: the way of DirectML, which takes one append only."""
    config = model_config.read(tiny_model)
    once = RestartingCache(
        Generator(tiny._model, max_length=300),
        300,
        eos_ids=config.eos_ids,
        failing=tiny.failing,
    )
    plain = tiny.new_cache(300)
    random = np.random.default_rng(11)
    length = 0
    for _ in range(60):
        if length > 10 and random.random() < 0.25:
            length = int(random.integers(1, length))
            once.rewind(length)
            plain.rewind(length)
        ids = random.integers(0, config.vocab_size, int(random.choice([1, 1, 3]))).tolist()
        if random.random() < 0.1:
            ids[-1] = min(config.eos_ids)
        assert once.append(ids)
        assert plain.append(ids)
        length += len(ids)
        if random.random() < 0.7:
            assert exercise.apart(once.logits(), plain.logits()) <= exercise.TOLERANCE

    with pytest.raises(ContextOverflow):
        once.append(range(300))
