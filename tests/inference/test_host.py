"""The host's worker: integrity of the model, typed errors, and nothing of a message in them."""

import json
import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from inference import manifest
from inference.types import (
    BareRun,
    Cancel,
    ChatMessage,
    Command,
    DeviceTarget,
    Event,
    Failed,
    Finished,
    GenerationRequest,
    Loaded,
    LoadModel,
    Sampling,
    is_last,
)
from inference.worker import Worker

pytestmark = pytest.mark.engine

SECRET = "Xylophone"


class Bench:
    """A worker on a thread of its own, asked one command at a time."""

    def __init__(self) -> None:
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.worker = Worker(self.events.put)
        self.thread = threading.Thread(target=self.worker.run, daemon=True)
        self.thread.start()

    def run(self, command: Command) -> list[Event]:
        self.worker.put(command)
        events = [self.events.get(timeout=60)]
        while not is_last(events[-1]):
            events.append(self.events.get(timeout=60))
        return events

    def close(self) -> None:
        self.worker.close()
        self.thread.join(60)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


@pytest.fixture
def copy(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model that a test may damage."""
    return Path(shutil.copytree(tiny_model, tmp_path / "copy"))


def request(text: str = SECRET, *, request_id: int = 2, tokens: int = 4) -> GenerationRequest:
    sampling = Sampling(temperature=0, max_new_tokens=tokens)
    return GenerationRequest(request_id, "s", (ChatMessage("user", text),), sampling)


def failed(events: list[Event]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed), last
    assert SECRET not in json.dumps(last.facts)
    return last


def damage(path: Path) -> None:
    """Flip one bit in the middle, size unchanged."""
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def test_a_flipped_bit_fails_the_first_answer(bench: Bench, copy: Path) -> None:
    damage(copy / "model.onnx.data")
    (loaded,) = bench.run(LoadModel(1, str(copy)))
    assert isinstance(loaded, Loaded)

    for number in (2, 3):
        events = bench.run(request(request_id=number))
        error = failed(events)
        assert (error.code, error.facts["file"]) == ("model_damaged", "model.onnx.data")
        assert not any(type(event).__name__ == "TextDelta" for event in events)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("genai_config.json", "model_missing"),
        ("tokenizer.json", "model_missing"),
        ("model.onnx", "model_missing"),
        ("model.onnx.data", "model_missing"),
    ],
)
@pytest.mark.parametrize("has_manifest", [True, False])
def test_a_missing_file_is_a_missing_model(
    bench: Bench, copy: Path, name: str, code: str, has_manifest: bool
) -> None:
    (copy / name).unlink()
    if not has_manifest:
        (copy / manifest.FILE_NAME).unlink()

    assert failed(bench.run(LoadModel(1, str(copy)))).code == code


@pytest.mark.parametrize("name", ["genai_config.json", "tokenizer.json", "model.onnx"])
@pytest.mark.parametrize("has_manifest", [True, False])
def test_a_broken_file_is_a_damaged_model(
    bench: Bench, copy: Path, name: str, has_manifest: bool
) -> None:
    (copy / name).write_bytes(b"<html>not found</html>")
    if not has_manifest:
        (copy / manifest.FILE_NAME).unlink()

    assert failed(bench.run(LoadModel(1, str(copy)))).code == "model_damaged"


def test_weights_that_are_cut_off_are_a_damaged_model(bench: Bench, copy: Path) -> None:
    (copy / manifest.FILE_NAME).unlink()
    data = copy / "model.onnx.data"
    data.write_bytes(data.read_bytes()[:1000])

    assert failed(bench.run(LoadModel(1, str(copy)))).code == "model_damaged"


def test_a_folder_from_elsewhere_needs_no_manifest(bench: Bench, copy: Path) -> None:
    (copy / manifest.FILE_NAME).unlink()
    bench.run(LoadModel(1, str(copy)))

    assert isinstance(bench.run(request())[-1], Finished)


def test_a_prompt_beyond_the_context_window_says_so(bench: Bench, tiny_model: Path) -> None:
    bench.run(LoadModel(1, str(tiny_model), context_tokens=64))
    error = failed(bench.run(request(f"{SECRET} " * 200)))

    assert error.code == "context_overflow"
    assert error.facts["limit_tokens"] == 64
    assert isinstance(bench.run(request("hi", request_id=3))[-1], Finished)


def test_without_a_model_nothing_is_answered(bench: Bench) -> None:
    assert failed(bench.run(request())).code == "model_not_loaded"
    assert failed(bench.run(BareRun(3, 8, 8))).code == "model_not_loaded"


def test_an_empty_conversation_is_an_empty_prompt(bench: Bench, tiny_model: Path) -> None:
    bench.run(LoadModel(1, str(tiny_model)))

    assert failed(bench.run(GenerationRequest(2, "s", ()))).code == "empty_prompt"


@pytest.mark.expects_log
def test_our_own_mistake_ends_the_answer_and_not_the_host(
    bench: Bench, tiny_model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bench.run(LoadModel(1, str(tiny_model)))
    mistaken = GenerationRequest(2, SECRET, (ChatMessage("user", SECRET),), None)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR):
        error = failed(bench.run(mistaken))

    assert error.code == "inference"
    assert SECRET not in caplog.text
    assert isinstance(bench.run(request(request_id=3))[-1], Finished)


def test_a_cancel_that_comes_first_still_counts(bench: Bench, tiny_model: Path) -> None:
    bench.run(LoadModel(1, str(tiny_model)))
    bench.worker.put(Cancel(2))
    (finished,) = bench.run(request())

    assert isinstance(finished, Finished)
    assert (finished.reason, finished.generated_tokens) == ("cancelled", 0)


def test_a_wish_that_cannot_be_met_runs_on_the_processor_and_says_why(
    bench: Bench, tiny_model: Path
) -> None:
    (loaded,) = bench.run(LoadModel(1, str(tiny_model), device="npu"))

    assert isinstance(loaded, Loaded)
    assert loaded.device.kind == "cpu"
    assert "NPU" in loaded.device.reason


def test_a_target_that_fails_is_replaced_by_the_processor_with_a_reason(
    bench: Bench, tiny_model: Path
) -> None:
    target = DeviceTarget("npu", "QNNExecutionProvider", "an NPU")
    (loaded,) = bench.run(LoadModel(1, str(tiny_model), target=target))

    assert isinstance(loaded, Loaded)
    assert loaded.device.kind == "cpu"
    assert loaded.device.reason
    assert isinstance(bench.run(request())[-1], Finished)


def test_a_load_takes_what_it_is_told(bench: Bench, tiny_model: Path) -> None:
    target = DeviceTarget("cpu", "CPUExecutionProvider", "this processor")
    command = LoadModel(
        1,
        str(tiny_model),
        target=target,
        reason="the GPU is busy",
        kv_budget_bytes=123_456_789,
        threads=1,
        spins=False,
    )
    (loaded,) = bench.run(command)
    finished = bench.run(request())[-1]

    assert isinstance(loaded, Loaded)
    assert (loaded.device.name, loaded.device.reason) == ("this processor", "the GPU is busy")
    assert (loaded.kv_budget_bytes, loaded.threads) == (123_456_789, 1)
    assert isinstance(finished, Finished)
    assert finished.kv_bytes == 1024 * loaded.kv_token_bytes > 0


def test_the_runtime_is_silenced_before_it_is_imported() -> None:
    probe = (
        "import os, sys\n"
        "os.environ.pop('ORT_DISABLE_TELEMETRY', None)\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('onnxruntime', 'onnxruntime_genai'):\n"
        "            assert os.environ.get('ORT_DISABLE_TELEMETRY') == '1', name\n"
        "            seen.append(name)\n"
        "seen = []\n"
        "sys.meta_path.insert(0, Finder())\n"
        "import inference.host\n"
        "from inference import devices\n"
        "from inference.engine import functions\n"
        "functions.api()\n"
        "devices.discover()\n"
        "assert sorted(set(seen)) == ['onnxruntime', 'onnxruntime_genai'], seen\n"
    )
    subprocess.run([sys.executable, "-I", "-c", probe], check=True, timeout=60)
