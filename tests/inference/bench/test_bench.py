"""The benchmark's suites on a tiny model in a real host, and its arithmetic."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app import children
from inference import child
from inference.bench import peer
from inference.bench.asking import Asker
from inference.bench.bandwidth import read_bandwidth
from inference.bench.lanes import run_lanes
from inference.bench.sessions import run_sessions
from inference.bench.speed import Reload, quick, run_bench
from inference.bench.traffic import weight_bytes
from inference.client import EngineClient
from inference.errors import ModelDamaged, WorkerDied
from inference.gguf import importer
from inference.gguf.graph import DATA_FILE
from inference.stream import Stream
from inference.synthetic import SHAPES, Synthetic, write_synthetic
from inference.types import ChatMessage, Loaded

pytestmark = pytest.mark.engine

Load = Callable[[], Loaded]

# What `llama_cpp` must have for the script, as small as it can be.
_LLAMA_CPP = """
__version__ = "9.9"
class Llama:
    def __init__(self, path, *, n_ctx, n_threads, n_threads_batch, verbose):
        open(path, "rb").close()
        assert (n_threads, n_threads_batch, verbose) == (1, 1, False)
        self.room = n_ctx
    def n_vocab(self):
        return 1024
    def reset(self):
        self.used = 0
    def eval(self, ids):
        assert all(0 <= number < 1024 for number in ids)
        self.used += len(ids)
        assert self.used <= self.room
    def sample(self, temp):
        return 7
    def close(self):
        pass
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic")
    write_synthetic(folder / "model.gguf", Synthetic("tiny", "q4_0"))
    importer.import_gguf(folder / "model.gguf", folder / "model")
    return folder / "model"


@pytest.fixture
def client(
    launch: Callable[[children.Verb], child.Child],
) -> Iterator[EngineClient]:
    client = EngineClient(lambda: launch("host"))
    yield client
    client.close()


@pytest.fixture
def load(client: EngineClient, model: Path) -> Load:
    def load() -> Loaded:
        stream = Stream()
        client.load(model, threads=1, sink=stream.put)
        loaded = stream.wait()
        assert isinstance(loaded, Loaded)
        return loaded

    load()
    return load


@pytest.fixture
def llama_cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llama_cpp.py").write_text(_LLAMA_CPP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_prompts_have_the_length_that_was_asked_for(client: EngineClient, load: Load) -> None:
    asker = Asker(client)
    asker.fit()

    with asker.session() as session_id:
        message = ChatMessage("user", asker.text(500))
        asked = asker.ask(session_id, (message,), new_tokens=3)

    assert asked.finished.prompt_tokens == pytest.approx(500, rel=0.05)
    assert asked.finished.generated_tokens == 3
    assert 0 < asked.first_s <= asked.whole_s


@pytest.mark.usefixtures("llama_cpp")
def test_speed_stands_beside_the_bare_loop_and_llama_cpp(
    client: EngineClient, load: Load, model: Path
) -> None:
    with peer.LlamaCpp(
        sys.executable, model.with_name("model.gguf"), threads=1, context_tokens=512
    ) as other:
        report = run_bench(
            client,
            rounds=2,
            new_tokens=4,
            prompt_tokens=(128, 256, 100_000),
            reload=Reload(model, load),
            peer=other,
        )

    prefill, _, decode = report.results
    assert [result.name for result in report.results] == [
        "prefill@128",
        "prefill@256",
        "decode@128",
    ]
    assert report.versions["llama-cpp-python"] == "9.9"
    assert report.load is not None
    assert report.load.ratio_llama_cpp is not None
    assert prefill.bandwidth_share is None
    assert prefill.ratio_llama_cpp is not None
    assert decode.bandwidth_share is not None
    read_bytes = report.weight_bytes + report.kv_token_bytes * 130
    assert decode.bandwidth_share == pytest.approx(
        read_bytes * decode.tokens_per_s / max(report.read_bytes_per_s)
    )


def test_a_quick_measurement_needs_nothing_but_the_client(client: EngineClient, load: Load) -> None:
    report = quick(client)

    assert [result.name for result in report.results] == ["prefill@128", "decode@128"]
    assert all(result.tokens_per_s > 0 for result in report.results)
    assert report.load is None


def test_sessions_tell_a_kept_cache_from_none(client: EngineClient, load: Load) -> None:
    report = run_sessions(client, rounds=1)

    assert report.long_tokens == SHAPES["tiny"].context_tokens * 3 // 4
    assert report.ratio_cold == pytest.approx(report.follow_up_long_s / report.cold_s)
    assert report.ratio_ahead < 1


def test_lanes_measure_a_turn_with_and_without_a_batch(client: EngineClient, load: Load) -> None:
    report = run_lanes(client, rounds=2)

    assert report.idle_first_s > 0
    assert report.busy_first_s > 0
    assert 0 < report.busy_share <= 1.05


def test_a_token_reads_all_weights_but_those_that_are_looked_up(model: Path) -> None:
    tables = 2 * SHAPES["tiny"].context_tokens * SHAPES["tiny"].head_size // 2 * 4

    read = weight_bytes(model)

    stored = (model / DATA_FILE).stat().st_size
    assert stored - tables - 200_000 < read < stored - tables


def test_a_graph_that_is_none_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"\x3a\xff\xff\xff\xff")

    with pytest.raises(ModelDamaged):
        weight_bytes(tmp_path)


def test_memory_is_read_at_some_speed() -> None:
    assert read_bandwidth(1) > 1e8


def test_an_interpreter_without_llama_cpp_is_no_peer(tmp_path: Path) -> None:
    assert not peer.is_available(sys.executable)
    assert not peer.is_available(str(tmp_path / "python"))
    with (
        pytest.raises(WorkerDied),
        peer.LlamaCpp(sys.executable, tmp_path / "none", threads=1, context_tokens=512),
    ):
        pass


@pytest.mark.usefixtures("llama_cpp")
def test_a_peer_that_ends_is_told() -> None:
    assert peer.is_available(sys.executable)
    with (
        pytest.raises(WorkerDied),
        peer.LlamaCpp(sys.executable, Path(__file__), threads=1, context_tokens=64) as other,
    ):
        other.run(128, 4)
